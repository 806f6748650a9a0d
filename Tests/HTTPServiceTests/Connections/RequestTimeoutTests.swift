import Glibc
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import TestSupport
import Testing

@testable import HTTPService

@Suite("The request timeout", .ownThreads)
struct RequestTimeoutTests {
    /// A connection with a simulated clock.
    private func connection() throws -> EmbeddedChannel {
        let arrival = RequestTimeoutHandler(seconds: 10) { $0.path == "/exempt" }
        let channel = EmbeddedChannel(handler: arrival)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func head(_ path: String) -> HTTPRequestPart {
        .head(HTTPRequest(method: .post, scheme: nil, authority: nil, path: path))
    }

    private func advance(_ channel: EmbeddedChannel, _ seconds: Int64) {
        channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
    }

    private func isLate(_ channel: EmbeddedChannel) -> Bool {
        do {
            try channel.throwIfErrorCaught()
            return false
        } catch {
            return (error as? RequestTimeoutHandler.Failure).map { $0 == .timedOut(seconds: 10) }
                ?? false
        }
    }

    @Test("a body that takes too long times out, however steadily it arrives")
    func late() throws {
        let channel = try connection()
        try channel.writeInbound(head("/"))
        for _ in 0..<9 {
            advance(channel, 1)
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
        }
        #expect(!isLate(channel))
        advance(channel, 1)
        #expect(isLate(channel))
    }

    @Test("each request on a connection has its own timeout")
    func several() throws {
        let channel = try connection()
        for _ in 0..<5 {
            try channel.writeInbound(head("/"))
            advance(channel, 7)
            try channel.writeInbound(HTTPRequestPart.end(nil))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
            #expect(!isLate(channel))
        }
        advance(channel, 100)
        #expect(!isLate(channel))
        #expect(channel.isActive)
        try channel.writeInbound(head("/"))
        advance(channel, 10)
        #expect(isLate(channel))
    }

    @Test("an error of the connection truncates a request that is being received, and no other")
    func lostConnection() throws {
        let channel = try connection()
        let reset = IOError(errnoCode: ECONNRESET, reason: "read")
        try channel.writeInbound(head("/"))
        channel.pipeline.fireErrorCaught(reset)
        #expect(throws: RequestTimeoutHandler.Failure.truncated) {
            try channel.throwIfErrorCaught()
        }
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.pipeline.fireErrorCaught(reset)
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
    }

    @Test("an exempt request has no timeout")
    func exempt() throws {
        let channel = try connection()
        try channel.writeInbound(head("/exempt"))
        advance(channel, 1_000)
        #expect(!isLate(channel))
    }

    @Test("a request that is still being received some seconds after a stop is refused")
    func stopping() throws {
        let channel = try connection()
        try channel.writeInbound(head("/exempt"))
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        advance(channel, RequestTimeoutHandler.stopSeconds - 1)
        try channel.throwIfErrorCaught()
        advance(channel, 1)
        #expect(throws: RequestTimeoutHandler.Failure.stopping) {
            try channel.throwIfErrorCaught()
        }
    }

    @Test("a request that was received before a stop, or soon after it, is not refused")
    func stoppingLater() throws {
        for isReceived in [true, false] {
            let channel = try connection()
            try channel.writeInbound(head("/exempt"))
            if isReceived { try channel.writeInbound(HTTPRequestPart.end(nil)) }
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            advance(channel, 1)
            if !isReceived { try channel.writeInbound(HTTPRequestPart.end(nil)) }
            advance(channel, 100)
            try channel.throwIfErrorCaught()
        }
    }

    @Test("the rest of a request with an early response is read only for a moment")
    func lingering() throws {
        let channel = try connection()
        try channel.writeInbound(head("/exempt"))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        advance(channel, RequestTimeoutHandler.lingeringSeconds - 1)
        #expect(channel.isActive)
        advance(channel, 1)
        #expect(!channel.isActive)
    }

    @Test("a request with an early response that arrives completely leaves the connection open")
    func readToTheEnd() throws {
        let channel = try connection()
        try channel.writeInbound(head("/"))
        #expect(try respond(channel)[.connection] == nil)
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        advance(channel, 1)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        advance(channel, 100)
        #expect(channel.isActive)
    }

    /// Starts a response, and returns its headers.
    private func respond(
        _ channel: EmbeddedChannel, _ status: HTTPResponse.Status = .contentTooLarge
    ) throws -> HTTPFields {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: status)))
        guard case .head(let head)? = try channel.readOutbound(as: HTTPResponsePart.self)
        else { throw RequestTimeoutHandler.Failure.truncated }
        return head.headerFields
    }

    private var expectation: HTTPRequestPart {
        var request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
        request.headerFields[.expect] = "100-Continue"
        return .head(request)
    }

    @Test(
        "a refusal before 100 Continue says that the connection closes, which it does after the body",
        arguments: [false, true])
    func refusal(endsFirst: Bool) throws {
        let channel = try connection()
        try channel.writeInbound(expectation)
        #expect(try respond(channel)[.connection] == "close")
        if endsFirst { try channel.writeInbound(HTTPRequestPart.end(nil)) }
        #expect(channel.isActive)
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        #expect(channel.isActive != endsFirst)
        if !endsFirst { try channel.writeInbound(HTTPRequestPart.end(nil)) }
        #expect(!channel.isActive)
    }

    @Test("a response after 100 Continue keeps the connection open, one to a late request does not")
    func continued() throws {
        let channel = try connection()
        try channel.writeInbound(expectation)
        _ = try respond(channel, .continue)
        #expect(try respond(channel)[.connection] == nil)
        let late = try connection()
        try late.writeInbound(head("/"))
        #expect(try respond(late, .requestTimeout)[.connection] == "close")
    }

    @Test("a request that arrives before the end of the previous response has no response yet")
    func overtaking() throws {
        let channel = try connection()
        try channel.writeInbound(head("/exempt"))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try channel.writeInbound(head("/exempt"))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        advance(channel, RequestTimeoutHandler.lingeringSeconds)
        #expect(channel.isActive)
    }

    @Test("an early response does not shorten the timeout of the next request")
    func nextAfterEarlyAnswer() throws {
        let channel = try connection()
        try channel.writeInbound(head("/exempt"))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try channel.writeInbound(head("/exempt"))
        advance(channel, RequestTimeoutHandler.lingeringSeconds)
        #expect(channel.isActive)
    }

    @Test("reading a body throws if the connection ends in the middle of it")
    func cutOff() throws {
        let channel = try connection()
        try channel.writeInbound(head("/"))
        channel.pipeline.fireChannelInactive()
        #expect(throws: RequestTimeoutHandler.Failure.truncated) {
            try channel.throwIfErrorCaught()
        }
        let whole = try connection()
        try whole.writeInbound(head("/"))
        try whole.writeInbound(HTTPRequestPart.end(nil))
        whole.pipeline.fireChannelInactive()
        try whole.throwIfErrorCaught()
    }
}

import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import SymbolServer

@Suite("The arrival of requests")
struct RequestArrivalTests {
    /// A connection whose time a test moves.
    private func connection() throws -> EmbeddedChannel {
        let arrival = RequestArrival(seconds: 10) { $0.path == "/exempt" }
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
        } catch { return (error as? RequestArrival.Failure).map { $0 == .late(10) } ?? false }
    }

    @Test("a body that takes too long is late, however steadily it comes")
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

    @Test("each request of a connection has its own time")
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

    @Test("what is exempt may take as long as it likes")
    func exempt() throws {
        let channel = try connection()
        try channel.writeInbound(head("/exempt"))
        advance(channel, 1_000)
        #expect(!isLate(channel))
    }

    @Test("what is answered before it is in is read for a moment, and then no more")
    func lingering() throws {
        let channel = try connection()
        try channel.writeInbound(head("/exempt"))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        advance(channel, RequestArrival.lingeringSeconds - 1)
        #expect(channel.isActive)
        advance(channel, 1)
        #expect(!channel.isActive)
    }

    @Test("what is answered before it is in, and then comes in, leaves the connection open")
    func readToTheEnd() throws {
        let channel = try connection()
        try channel.writeInbound(head("/"))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        advance(channel, 1)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        advance(channel, 100)
        #expect(channel.isActive)
    }

    @Test("a request that comes before the end of the answer to the one before is not answered yet")
    func overtaking() throws {
        let channel = try connection()
        try channel.writeInbound(head("/exempt"))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try channel.writeInbound(head("/exempt"))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        advance(channel, RequestArrival.lingeringSeconds)
        #expect(channel.isActive)
    }

    @Test("a request answered early and read to its end leaves the next one its time")
    func nextAfterEarlyAnswer() throws {
        let channel = try connection()
        try channel.writeInbound(head("/exempt"))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try channel.writeInbound(head("/exempt"))
        advance(channel, RequestArrival.lingeringSeconds)
        #expect(channel.isActive)
    }

    @Test("a connection that ends in the middle of a body is an error for who reads it")
    func cutOff() throws {
        let channel = try connection()
        try channel.writeInbound(head("/"))
        channel.pipeline.fireChannelInactive()
        #expect(throws: RequestArrival.Failure.cutOff) { try channel.throwIfErrorCaught() }
        let whole = try connection()
        try whole.writeInbound(head("/"))
        try whole.writeInbound(HTTPRequestPart.end(nil))
        whole.pipeline.fireChannelInactive()
        try whole.throwIfErrorCaught()
    }
}

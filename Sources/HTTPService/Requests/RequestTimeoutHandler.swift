import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Enforces the timeout for receiving a request on one connection or HTTP/2 stream.
///
/// If a request times out or its sender disconnects, reading its body throws, so that a truncated
/// body is never mistaken for a complete one. If the response is sent before the body has arrived,
/// the rest of the body is read for a short time, so that the sender can receive the response. If the
/// body ends in this time, the connection stays open for the next request, or else it is closed.
///
/// A sender that waits for `100 Continue` leaves out the body after another response, and could send
/// its next request in place of it. Such a response says that the connection is closed (RFC 9112,
/// section 9.6), as does one after a timeout. Others do not: many senders that read this header
/// stop at once, and report that they could not send the body, instead of the response.
final class RequestTimeoutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    enum Failure: Error, Equatable {
        case timedOut(seconds: Int64)
        case truncated
        /// The service stops, and the rest of the request did not arrive in time.
        case stopping
    }

    /// The time for which the rest of a body is read after an early response, in seconds.
    static let lingeringSeconds: Int64 = 5

    /// The time for which a request is received once the service was asked to stop, in seconds. No
    /// part of it is acknowledged, so that a client of a long upload loses nothing but time.
    static let stopSeconds: Int64 = 5

    private let seconds: Int64
    /// Whether a request has no timeout as long as data keeps arriving.
    private let isExempt: @Sendable (HTTPRequest) -> Bool
    private var isReceiving = false
    /// The numbers of started requests and ended responses. They are counted because a client may
    /// send its next request before the end of a response reaches this handler.
    private var requestCount = 0
    private var responseCount = 0
    /// Whether the sender of the latest request waits for `100 Continue`.
    private var awaitsContinue = false
    /// Whether the latest response says that the connection is closed after it.
    private var isClosing = false
    private var deadline: NIODeadline?
    private var timer: Scheduled<Void>?
    private var stopTimer: Scheduled<Void>?

    init(seconds: Int64, isExempt: @escaping @Sendable (HTTPRequest) -> Bool) {
        self.seconds = seconds
        self.isExempt = isExempt
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isReceiving = true
            requestCount += 1
            awaitsContinue = head.headerFields[.expect]?.lowercased() == "100-continue"
            if !isExempt(head) {
                expire(at: context.eventLoop.now + .seconds(seconds), context: context)
            }
        case .body: break
        case .end:
            isReceiving = false
            deadline = nil
            // Nothing of the body is left that would make the system discard the response.
            if isClosing, requestCount == responseCount { return context.close(promise: nil) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status == .continue:
            awaitsContinue = false
            context.write(data, promise: promise)
        case .head(var head) where isFinal(head) && !Self.isStream(context.channel):
            isClosing = true
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end: writeEnd(data, context: context, promise: promise)
        default: context.write(data, promise: promise)
        }
    }

    private func writeEnd(
        _ data: NIOAny, context: ChannelHandlerContext, promise: EventLoopPromise<Void>?
    ) {
        responseCount += 1
        guard isClosing, !isReceiving else {
            if hasRespondedEarly { linger(context) }
            return context.write(data, promise: promise)
        }
        let channel = context.channel
        context.writeAndFlush(data).whenComplete { _ in channel.close(promise: nil) }
        promise?.succeed()
    }

    /// Whether a response to the request that is being received ends the connection.
    private func isFinal(_ head: HTTPResponse) -> Bool {
        isReceiving && requestCount == responseCount + 1
            && (awaitsContinue || head.status == .requestTimeout)
    }

    /// Whether a channel is an HTTP/2 stream. Its responses must not have the header `Connection`,
    /// and other streams of the connection do not depend on it.
    private static func isStream(_ channel: any Channel) -> Bool { channel.parent?.parent != nil }

    /// Whether the request that is being received already has its response.
    private var hasRespondedEarly: Bool { isReceiving && requestCount == responseCount }

    private func linger(_ context: ChannelHandlerContext) {
        let channel = context.channel
        let number = requestCount
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Self.lingeringSeconds)) {
            if self.hasRespondedEarly, self.requestCount == number { channel.close(promise: nil) }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, isReceiving { interrupt(context) }
        context.fireUserInboundEventTriggered(event)
    }

    private func interrupt(_ context: ChannelHandlerContext) {
        let number = requestCount
        stopTimer = context.eventLoop.assumeIsolated().scheduleTask(
            in: .seconds(Self.stopSeconds)
        ) {
            guard self.isReceiving, self.requestCount == number, !self.hasRespondedEarly
            else { return }
            context.fireErrorCaught(Failure.stopping)
        }
    }

    /// An error of the connection or stream while a request is being received means that its sender
    /// has given up. It is not a failure of the service.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isOfSyntax = error is HTTPParserError
        context.fireErrorCaught(isReceiving && !isOfSyntax ? Failure.truncated : error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isReceiving { context.fireErrorCaught(Failure.truncated) }
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        stopTimer?.cancel()
        stopTimer = nil
    }

    /// Sets the deadline. One timer serves all requests of a connection, because most are complete
    /// long before it fires.
    private func expire(at deadline: NIODeadline, context: ChannelHandlerContext) {
        self.deadline = deadline
        guard timer == nil else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            guard let latest = self.deadline else { return }
            if latest <= context.eventLoop.now {
                self.deadline = nil
                context.fireErrorCaught(Failure.timedOut(seconds: self.seconds))
            } else {
                self.expire(at: latest, context: context)
            }
        }
    }
}

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Holds one connection, or one stream of HTTP/2, to the time in which a request must arrive.
///
/// A request that is late, or whose sender is gone, ends as an error in whoever reads its body, so
/// that a body that was cut off is never taken for a whole one. Where the answer goes out before the
/// body is in, what is left of the body is read for a moment, so that the sender gets to see the
/// answer, and then the connection is closed.
final class RequestArrival: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    enum Failure: Error, Equatable {
        /// More than the time allowed, in seconds.
        case late(Int64)
        case cutOff
    }

    /// What is left of a refused body is read for so long, in seconds.
    static let lingeringSeconds: Int64 = 5

    private let seconds: Int64
    /// Whether a request may take longer, as long as it never pauses.
    private let isExempt: @Sendable (HTTPRequest) -> Bool
    private var isArriving = false
    /// How many requests have begun, and how many answers have ended. A client that has the whole
    /// body of an answer sends its next request, which may come before the end of that answer is
    /// said here.
    private var requestCount = 0
    private var answerCount = 0
    private var deadline: NIODeadline?
    private var timer: Scheduled<Void>?

    init(seconds: Int64, isExempt: @escaping @Sendable (HTTPRequest) -> Bool) {
        self.seconds = seconds
        self.isExempt = isExempt
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isArriving = true
            requestCount += 1
            if !isExempt(head) { expire(at: context.eventLoop.now + .seconds(seconds), context) }
        case .body: break
        case .end:
            isArriving = false
            deadline = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            answerCount += 1
            if isAnsweredEarly { linger(context) }
        }
        context.write(data, promise: promise)
    }

    /// Whether the request that is arriving has its answer.
    private var isAnsweredEarly: Bool { isArriving && requestCount == answerCount }

    private func linger(_ context: ChannelHandlerContext) {
        let channel = context.channel
        let number = requestCount
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Self.lingeringSeconds)) {
            if self.isAnsweredEarly, self.requestCount == number { channel.close(promise: nil) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isArriving { context.fireErrorCaught(Failure.cutOff) }
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    /// One timer serves all requests of a connection: most are in long before it fires, and then it
    /// finds nothing to do.
    private func expire(at deadline: NIODeadline, _ context: ChannelHandlerContext) {
        self.deadline = deadline
        guard timer == nil else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            guard let latest = self.deadline else { return }
            if latest <= context.eventLoop.now {
                self.deadline = nil
                context.fireErrorCaught(Failure.late(self.seconds))
            } else {
                self.expire(at: latest, context)
            }
        }
    }
}

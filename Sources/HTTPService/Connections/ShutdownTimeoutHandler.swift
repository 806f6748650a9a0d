import NIOCore

/// Closes a connection when the grace period of a shutdown ends.
///
/// The HTTP/2 handlers send GOAWAY and then wait for the client's response, which may never come.
final class ShutdownTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let time: TimeAmount
    private var timer: Scheduled<Void>?

    init(seconds: Int64) { time = .seconds(seconds) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, timer == nil {
            timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
                context.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }
}

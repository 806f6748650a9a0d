import NIOCore

/// Closes a connection some time after the service began to stop.
///
/// The handlers of HTTP/2 ask the client to leave and then wait for its answer, which may never come.
final class QuiesceDeadline: ChannelInboundHandler, RemovableChannelHandler {
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

import NIOCore
import NIOSSL
import NIOTLS

/// Closes a connection whose TLS handshake does not come to its end, which otherwise would stay for
/// as long as the client likes.
final class HandshakeDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let time: TimeAmount
    private var timer: Scheduled<Void>?

    /// Adds one behind the TLS handler of a connection.
    static func add(to channel: any Channel, seconds: Int64) throws {
        let pipeline = channel.pipeline.syncOperations
        let tls = try pipeline.handler(type: NIOSSLServerHandler.self)
        try pipeline.addHandler(Self(seconds: seconds), position: .after(tls))
    }

    init(seconds: Int64) { time = .seconds(seconds) }

    func handlerAdded(context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { timer?.cancel() }
        context.fireUserInboundEventTriggered(event)
    }
}

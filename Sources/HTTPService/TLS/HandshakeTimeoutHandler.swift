import NIOCore
import NIOSSL
import NIOTLS

/// Closes a connection whose TLS handshake does not complete in time, or at shutdown.
///
/// Once the handshake has chosen HTTP/2, the connection also gets a ``ShutdownTimeoutHandler``.
final class HandshakeTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let timeout: TimeAmount
    private var isComplete = false
    private var timer: Scheduled<Void>?

    /// Adds a handler after the TLS handler of a connection.
    static func add(to channel: any Channel, seconds: Int64) throws {
        let pipeline = channel.pipeline.syncOperations
        let tls = try pipeline.handler(type: NIOSSLServerHandler.self)
        try pipeline.addHandler(Self(seconds: seconds), position: .after(tls))
    }

    init(seconds: Int64) { timeout = .seconds(seconds) }

    func handlerAdded(context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let version)? = event as? TLSUserEvent {
            timer?.cancel()
            isComplete = true
            if version == "h2" { limitShutdown(context) }
        } else if !isComplete, event is ChannelShouldQuiesceEvent {
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func limitShutdown(_ context: ChannelHandlerContext) {
        do {
            try context.pipeline.syncOperations.addHandler(
                ShutdownTimeoutHandler(seconds: GRPCListener.graceSeconds), position: .first)
        } catch { context.close(promise: nil) }
    }
}

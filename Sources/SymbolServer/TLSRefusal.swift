import ErrorDescriptions
import NIOCore
import NIOSSL
import NIOTLS

/// Notes in the audit log why a TLS handshake failed: a client without a certificate, or with one of
/// another authority, or one that does not speak TLS.
final class TLSRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let audit: AuditLog
    private let port: String
    private var isOver = false

    /// Adds one behind the TLS handler of a connection.
    ///
    /// - Parameter port: What the log calls the listener.
    static func add(to channel: any Channel, _ audit: AuditLog, port: String) throws {
        let pipeline = channel.pipeline.syncOperations
        let tls = try pipeline.handler(type: NIOSSLServerHandler.self)
        try pipeline.addHandler(Self(audit, port: port), position: .after(tls))
    }

    init(_ audit: AuditLog, port: String) {
        self.audit = audit
        self.port = port
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { isOver = true }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !isOver, !isHangUp(error) {
            isOver = true
            audit.note(
                refusal: "\(ErrorDescription(error))", of: "\(port) connection",
                to: AuditLog.Actor(name: "unknown", channel: context.channel))
        }
        context.fireErrorCaught(error)
    }

    /// Whether the client only closed the connection, as the checks of load balancers do.
    private func isHangUp(_ error: any Error) -> Bool {
        guard case .handshakeFailed(.sslError(let stack))? = error as? NIOSSLError
        else { return !(error is NIOSSLError || error is NIOSSLExtraError) }
        return stack == [.eofDuringHandshake]
    }
}

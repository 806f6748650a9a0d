import ErrorDescriptions
import Foundation
import NIOCore
import NIOSSL
import NIOTLS

/// Writes failed TLS handshakes to the audit log: a client certificate that is missing, expired or
/// signed by an unknown authority, or a client that does not speak TLS.
final class TLSFailureAuditHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let audit: AuditLog
    private let listener: String
    private let tls: NIOSSLServerHandler
    private var isComplete = false

    /// Adds a handler after the TLS handler of a connection.
    ///
    /// - Parameter listener: The name of the listener in the log.
    static func add(to channel: any Channel, _ audit: AuditLog, listener: String) throws {
        let pipeline = channel.pipeline.syncOperations
        let tls = try pipeline.handler(type: NIOSSLServerHandler.self)
        try pipeline.addHandler(Self(audit, listener: listener, tls: tls), position: .after(tls))
    }

    private init(_ audit: AuditLog, listener: String, tls: NIOSSLServerHandler) {
        self.audit = audit
        self.listener = listener
        self.tls = tls
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { isComplete = true }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !isComplete, !isHangUp(error) {
            isComplete = true
            audit.log(
                refusal: reason(error), of: "\(listener) connection",
                from: AuditLog.Actor(name: "unknown", channel: context.channel))
        }
        context.fireErrorCaught(error)
    }

    /// Returns why the handshake failed. The TLS library reports every rejected certificate with
    /// the same error, so an expired certificate is recognised by its dates.
    private func reason(_ error: any Error) -> String {
        guard ErrorDescription.isRejectedCertificate(error), let certificate = tls.peerCertificate
        else { return "\(ErrorDescription(error))" }
        let problem =
            certificate.invalidity(at: time(nil))
            ?? "is from an unknown authority, or not for clients"
        return "TLS: its certificate \(problem)"
    }

    /// Whether the client only closed the connection, as the health checks of load balancers do.
    private func isHangUp(_ error: any Error) -> Bool {
        guard case .handshakeFailed(.sslError(let stack))? = error as? NIOSSLError
        else { return !(error is NIOSSLError || error is NIOSSLExtraError) }
        return stack == [.eofDuringHandshake]
    }
}

extension NIOSSLCertificate {
    /// Returns why the certificate is invalid at a time according to its dates, or `nil` if they
    /// include the time.
    func invalidity(at now: time_t) -> String? {
        if notValidAfter < now { return "expired at \(Self.text(notValidAfter))" }
        if notValidBefore > now { return "is not valid before \(Self.text(notValidBefore))" }
        return nil
    }

    private static func text(_ time: time_t) -> String {
        Date(timeIntervalSince1970: Double(time)).formatted(.iso8601)
    }
}

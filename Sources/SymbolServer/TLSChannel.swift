import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import Synchronization

/// HTTP/2 or HTTP/1.1, as the client chose in the TLS handshake, for which it has a set time. New
/// connections are shown the certificate of now.
final class TLSChannel: ServerChildChannel {
    private struct Made {
        var generation: Int
        var channel: HTTP2UpgradeChannel
    }

    private let certificate: ServerCertificate
    private let handshakeSeconds: Int64
    private let audit: AuditLog
    private let make: @Sendable (LoadedCertificate) throws -> HTTP2UpgradeChannel
    private let made: Mutex<Made>

    init(
        certificate: ServerCertificate, handshakeSeconds: Int64, _ audit: AuditLog,
        make: @escaping @Sendable (LoadedCertificate) throws -> HTTP2UpgradeChannel
    ) throws {
        self.certificate = certificate
        self.handshakeSeconds = handshakeSeconds
        self.audit = audit
        self.make = make
        let current = certificate.current
        made = Mutex(Made(generation: current.generation, channel: try make(current.loaded)))
    }

    func setup(
        channel: any Channel, logger: Logger
    ) -> EventLoopFuture<HTTP2UpgradeChannel.Value> {
        inner.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try HandshakeDeadline.add(to: channel, seconds: self.handshakeSeconds)
            try TLSRefusal.add(to: channel, self.audit, port: "http")
            return value
        }
    }

    func handle(value: HTTP2UpgradeChannel.Value, logger: Logger) async {
        await made.withLock { $0.channel }.handle(value: value, logger: logger)
    }

    /// A certificate was read in full before it became the current one, so making it cannot fail.
    private var inner: HTTP2UpgradeChannel {
        let current = certificate.current
        return made.withLock { made in
            if made.generation != current.generation, let channel = try? make(current.loaded) {
                made = Made(generation: current.generation, channel: channel)
            }
            return made.channel
        }
    }
}

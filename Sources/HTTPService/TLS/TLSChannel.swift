import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import Synchronization

/// HTTP/2 or HTTP/1.1 over TLS, as negotiated in the handshake. New connections use the current
/// certificate.
final class TLSChannel: ServerChildChannel {
    private struct CachedChannel {
        var generation: Int
        var channel: HTTP2UpgradeChannel
    }

    private let certificate: ServerCertificate
    private let handshakeSeconds: Int64
    private let audit: AuditLog
    private let make: @Sendable (LoadedCertificate) throws -> HTTP2UpgradeChannel
    private let cache: Mutex<CachedChannel>

    init(
        certificate: ServerCertificate, handshakeSeconds: Int64, audit: AuditLog,
        make: @escaping @Sendable (LoadedCertificate) throws -> HTTP2UpgradeChannel
    ) throws {
        self.certificate = certificate
        self.handshakeSeconds = handshakeSeconds
        self.audit = audit
        self.make = make
        let current = certificate.current
        cache = Mutex(
            CachedChannel(generation: current.generation, channel: try make(current.loaded)))
    }

    func setup(
        channel: any Channel, logger: Logger
    ) -> EventLoopFuture<HTTP2UpgradeChannel.Value> {
        inner.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try HandshakeTimeoutHandler.add(to: channel, seconds: self.handshakeSeconds)
            try TLSFailureAuditHandler.add(to: channel, self.audit, listener: "http")
            return value
        }
    }

    func handle(value: HTTP2UpgradeChannel.Value, logger: Logger) async {
        await cache.withLock { $0.channel }.handle(value: value, logger: logger)
    }

    /// The channel for the current certificate, which was validated when it was loaded, so `make`
    /// cannot fail.
    private var inner: HTTP2UpgradeChannel {
        let current = certificate.current
        return cache.withLock { cache in
            if cache.generation != current.generation, let channel = try? make(current.loaded) {
                cache = CachedChannel(generation: current.generation, channel: channel)
            }
            return cache.channel
        }
    }
}

import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore

/// HTTP/2 or HTTP/1.1, as the client chose in the TLS handshake, for which it has a set time.
struct TLSChannel: ServerChildChannel {
    let inner: HTTP2UpgradeChannel
    let handshakeSeconds: Int64

    func setup(
        channel: any Channel, logger: Logger
    ) -> EventLoopFuture<HTTP2UpgradeChannel.Value> {
        inner.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try HandshakeDeadline.add(to: channel, seconds: handshakeSeconds)
            return value
        }
    }

    func handle(value: HTTP2UpgradeChannel.Value, logger: Logger) async {
        await inner.handle(value: value, logger: logger)
    }
}

import HummingbirdCore
import Logging
import NIOCore

/// Connections that are counted, and closed where there is no room for them.
struct BoundedChannel<Inner: ServerChildChannel>: ServerChildChannel {
    let inner: Inner
    let connections: Connections

    private struct NoRoom: Error {}

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Inner.Value> {
        guard connections.open(channel) else {
            return channel.eventLoop.makeFailedFuture(NoRoom())
        }
        return inner.setup(channel: channel, logger: logger)
    }

    func handle(value: Inner.Value, logger: Logger) async {
        await inner.handle(value: value, logger: logger)
    }
}

import HummingbirdCore
import Logging
import NIOCore

/// A channel that counts its connections, and closes new ones if there are too many.
struct BoundedChannel<Inner: ServerChildChannel>: ServerChildChannel {
    let inner: Inner
    let connections: ConnectionRegistry

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Inner.Value> {
        guard connections.open(channel) else {
            return channel.eventLoop.makeFailedFuture(ConnectionRegistry.LimitReached())
        }
        return inner.setup(channel: channel, logger: logger)
    }

    func handle(value: Inner.Value, logger: Logger) async {
        await inner.handle(value: value, logger: logger)
    }
}

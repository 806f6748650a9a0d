public import HummingbirdCore
public import Logging
public import NIOCore

/// A channel that closes connections that were accepted but never handled.
///
/// A stopping listener drops the connections that it has just accepted. The library ends the
/// process if the writer of an open connection is dropped (`NIOAsyncWriter`), so the value that
/// contains the writer is kept until the connection is closed.
public struct HandledChannel<Inner: ServerChildChannel>: ServerChildChannel {
    public struct Value: ServerChildChannelValue {
        fileprivate let inner: Inner.Value
        /// Closes the connection when the last copy is dropped before it is handled.
        fileprivate let closing: ClosingOnDrop

        public var channel: any Channel { inner.channel }
    }

    private let inner: Inner

    public init(_ inner: Inner) { self.inner = inner }

    public func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        inner.setup(channel: channel, logger: logger).map { value in
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            return Value(inner: value, closing: ClosingOnDrop(channel))
        }
    }

    public func handle(value: Value, logger: Logger) async {
        await inner.handle(value: value.inner, logger: logger)
        withExtendedLifetime(value.closing) {}
    }
}

/// Closes a connection when it is deinitialized. Connections that were handled are closed already.
private final class ClosingOnDrop: Sendable {
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    deinit { channel.close(promise: nil) }
}

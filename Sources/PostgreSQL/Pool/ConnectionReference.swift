import Synchronization

/// A weak reference to a connection, for its own events.
final class ConnectionReference: Sendable {
    private struct Weak {
        weak var connection: Connection?
    }

    private let weak = Mutex(Weak())

    var value: Connection? {
        get { weak.withLock { $0.connection } }
        set { weak.withLock { $0.connection = newValue } }
    }
}

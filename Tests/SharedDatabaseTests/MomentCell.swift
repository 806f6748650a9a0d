import Synchronization

/// A clock that a test sets.
final class MomentCell: Sendable {
    private let moment = Mutex(Duration.zero)

    var value: Duration {
        get { moment.withLock(\.self) }
        set { moment.withLock { $0 = newValue } }
    }
}

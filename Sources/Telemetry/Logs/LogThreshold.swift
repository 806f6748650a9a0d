public import Logging
import Synchronization

/// The minimum log level, which can change while the program runs.
public final class LogThreshold: Sendable {
    private let current: Mutex<Logger.Level>

    public init(_ level: Logger.Level) { current = Mutex(level) }

    public var level: Logger.Level {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}

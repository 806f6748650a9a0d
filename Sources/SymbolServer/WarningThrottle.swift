import Synchronization

/// Lets one warning of each kind through in a while: where the disk is full, thousands of requests a
/// second are told so, and the log need not be.
final class WarningThrottle: Sendable {
    private let last = Mutex<[String: ContinuousClock.Instant]>([:])

    static let pause = Duration.seconds(10)

    /// - Parameter kind: One of a few.
    func lets(_ kind: String, at now: ContinuousClock.Instant) -> Bool {
        last.withLock { last in
            if let before = last[kind], before.duration(to: now) < Self.pause { return false }
            last[kind] = now
            return true
        }
    }
}

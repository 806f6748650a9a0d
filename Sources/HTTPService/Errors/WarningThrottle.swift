import Synchronization

/// Allows one warning per cause and interval. If the disk is full, thousands of requests fail per
/// second, and logging all of them is useless.
final class WarningThrottle: Sendable {
    private let last = Mutex<[String: ContinuousClock.Instant]>([:])

    static let interval = Duration.seconds(10)
    /// The maximum number of distinct causes in one interval.
    static let causeLimit = 64

    /// Returns whether a warning about `cause` may be logged at `now`, and if so, records it.
    func allows(_ cause: String, at now: ContinuousClock.Instant) -> Bool {
        last.withLock { last in
            if last.count >= Self.causeLimit {
                last = last.filter { $0.value.duration(to: now) < Self.interval }
            }
            if let before = last[cause] {
                guard before.duration(to: now) >= Self.interval else { return false }
            } else if last.count >= Self.causeLimit {
                return false
            }
            last[cause] = now
            return true
        }
    }
}

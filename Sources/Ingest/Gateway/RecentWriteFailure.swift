import Synchronization

/// The error of the latest write, reported for a limited time.
///
/// Readiness checks report it, so clients may go elsewhere, and no later write would clear it.
/// Therefore it expires.
final class RecentWriteFailure: Sendable {
    static let lifetime = Duration.seconds(30)

    private let failure = Mutex<(error: JournalError, time: ContinuousClock.Instant)?>(nil)

    /// The error, or `nil` if the latest write succeeded or failed longer ago than ``lifetime``.
    var latest: JournalError? {
        failure.withLock { failure in
            guard let failure, failure.time.duration(to: .now) < Self.lifetime else { return nil }
            return failure.error
        }
    }

    func record(_ error: JournalError) { failure.withLock { $0 = (error, .now) } }

    func recordSuccess() { failure.withLock { $0 = nil } }
}

import Synchronization

/// The error of the latest write, reported for a limited time.
///
/// It expires because readiness checks report it: if all clients then use another instance, no
/// later write clears it.
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

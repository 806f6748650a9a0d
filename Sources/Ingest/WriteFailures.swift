import Synchronization

/// The failure of the latest write, kept for a while: clients that are sent elsewhere because of it do
/// not try again, so the service has to.
final class WriteFailures: Sendable {
    static let lifetime = Duration.seconds(30)

    private let failure = Mutex<(error: JournalError, time: ContinuousClock.Instant)?>(nil)

    /// `nil` if the latest write succeeded, or failed long ago.
    var latest: JournalError? {
        failure.withLock { failure in
            guard let failure, failure.time.duration(to: .now) < Self.lifetime else { return nil }
            return failure.error
        }
    }

    func note(_ error: JournalError) { failure.withLock { $0 = (error, .now) } }

    func noteSuccess() { failure.withLock { $0 = nil } }
}

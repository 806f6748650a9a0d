import Synchronization

/// The payloads that requests are being kept of, so that two requests with one payload at the same
/// time keep it once.
final class PayloadsUnderway: Sendable {
    private let keys = Mutex<Set<EntryKey>>([])
    private let ended = Wakeup()

    private static let retryDelay = Duration.milliseconds(50)

    /// Waits until no other request has any of these payloads.
    func begin(_ new: Set<EntryKey>) async {
        while !take(new) { await ended.wait(atMost: Self.retryDelay) }
    }

    func end(_ old: Set<EntryKey>) {
        keys.withLock { $0.subtract(old) }
        ended.signal()
    }

    private func take(_ new: Set<EntryKey>) -> Bool {
        keys.withLock { keys in
            guard keys.isDisjoint(with: new) else { return false }
            keys.formUnion(new)
            return true
        }
    }
}

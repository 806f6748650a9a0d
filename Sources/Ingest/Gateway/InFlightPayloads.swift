import Synchronization
import TaskCoordination

/// The payloads that requests are currently storing, so that two concurrent requests with the same
/// payload store it once.
final class InFlightPayloads: Sendable {
    private let keys = Mutex<Set<EntryKey>>([])
    private let removals = Wakeup()

    private static let retryDelay = Duration.milliseconds(50)

    /// Adds payloads, after waiting until no other request has any of them.
    func add(_ new: Set<EntryKey>) async {
        while !addIfAbsent(new) { await removals.wait(atMost: Self.retryDelay) }
    }

    func remove(_ old: Set<EntryKey>) {
        keys.withLock { $0.subtract(old) }
        removals.signal()
    }

    private func addIfAbsent(_ new: Set<EntryKey>) -> Bool {
        keys.withLock { keys in
            guard keys.isDisjoint(with: new) else { return false }
            keys.formUnion(new)
            return true
        }
    }
}

import Synchronization

/// The requests of an exporter in the order in which they were sent, so that one can tell whether any
/// that was sent later was taken. Shared by those that send.
final class ExportProgress: Sendable {
    private struct Counts {
        var sent = 0
        var lastTaken = 0
    }

    private let counts = Mutex<[Signal: Counts]>([:])
    private let recoveries = Mutex(0)

    /// - Returns: The number of a request that is sent now.
    func begin(_ signal: Signal) -> Int {
        counts.withLock { counts in
            counts[signal, default: Counts()].sent += 1
            return counts[signal]?.sent ?? 0
        }
    }

    func noteTaken(_ signal: Signal, _ number: Int) {
        counts.withLock {
            $0[signal, default: Counts()].lastTaken = max($0[signal]?.lastTaken ?? 0, number)
        }
    }

    /// How many were sent so far.
    func sent(_ signal: Signal) -> Int { counts.withLock { $0[signal]?.sent ?? 0 } }

    /// Whether one that was sent after so many others was taken.
    func isTaken(_ signal: Signal, after count: Int) -> Bool {
        counts.withLock { ($0[signal]?.lastTaken ?? 0) > count }
    }

    /// How often the receiver took requests again after it had not.
    var recoveryCount: Int {
        get { recoveries.withLock(\.self) }
        set { recoveries.withLock { $0 = newValue } }
    }
}

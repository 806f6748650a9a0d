import Synchronization

/// The order of an exporter's requests, which shows whether a request sent after another one was
/// accepted. Shared by all tasks that send.
final class RequestHistory: Sendable {
    private struct Counts {
        var sent = 0
        var lastAccepted = 0
    }

    private let counts = Mutex<[Signal: Counts]>([:])
    private let recoveries = Mutex(0)

    /// Counts a request that is about to be sent.
    ///
    /// - Returns: Its number among those of its signal.
    func start(_ signal: Signal) -> Int {
        counts.withLock { counts in
            counts[signal, default: Counts()].sent += 1
            return counts[signal]?.sent ?? 0
        }
    }

    func recordAccepted(_ signal: Signal, _ number: Int) {
        counts.withLock {
            let last = $0[signal]?.lastAccepted ?? 0
            $0[signal, default: Counts()].lastAccepted = max(last, number)
        }
    }

    /// Returns the number of requests sent so far.
    func sentCount(_ signal: Signal) -> Int { counts.withLock { $0[signal]?.sent ?? 0 } }

    /// Whether a request sent after the first `count` was accepted.
    func isAccepted(_ signal: Signal, after count: Int) -> Bool {
        counts.withLock { ($0[signal]?.lastAccepted ?? 0) > count }
    }

    /// The number of times that the receiver accepted requests again after an outage.
    var recoveryCount: Int {
        get { recoveries.withLock(\.self) }
        set { recoveries.withLock { $0 = newValue } }
    }
}

import Algorithms
import Synchronization
import TaskCoordination

/// The worker's latest results, for exporters that are not lagging.
///
/// The buffer is bounded in bytes. Beyond the bound the oldest results are dropped, and are
/// recomputed from the journal for an exporter that still needs them.
final class ResultBuffer: Sendable {
    fileprivate struct State {
        var results: [ExportableEntry] = []
        var byteCount = 0
        /// The entry after which `results` is complete, up to ``lastNumber``.
        var floor: Int64
        var lastNumber: Int64
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<Int> = []
        var nextWaiter = 0
        /// The cursor of the fastest reader, and the time of the latest read.
        var lastRead: (number: Int64, time: ContinuousClock.Instant)?
    }

    enum Reading {
        case results([ExportableEntry])
        /// Results that the reader needs have been dropped.
        case dropped
    }

    private let state: Mutex<State>
    private let bytesLimit: Int
    private let reads = Wakeup()

    /// The time without reads after which the worker no longer waits for readers.
    private static let patience = Duration.seconds(1)

    /// - Parameter number: The worker's cursor, after which the first result will be.
    init(after number: Int64, bytesLimit: Int) {
        state = Mutex(State(floor: number, lastNumber: number))
        self.bytesLimit = bytesLimit
    }

    /// The last entry that the worker has processed.
    var lastNumber: Int64 { state.withLock { $0.lastNumber } }

    func publish(_ results: [ExportableEntry], upTo number: Int64) {
        let waiters = state.withLock { state in
            state.results += results
            state.byteCount += results.reduce(0) { $0 + $1.byteCount }
            state.lastNumber = number
            state.trim(to: bytesLimit)
            defer { state.waiters = [:] }
            return state.waiters.values.map(\.self)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns the results after `number`; empty if there are none yet.
    func read(after number: Int64, bytes: Int) -> Reading {
        defer { reads.signal() }
        return state.withLock { state in
            state.lastRead = (max(number, state.lastRead?.number ?? number), .now)
            guard number >= state.floor else { return .dropped }
            let first = state.results.partitioningIndex { $0.number > number }
            var end = first
            var total = 0
            while end < state.results.count, end == first || total < bytes {
                total += state.results[end].byteCount
                end += 1
            }
            return .results(Array(state.results[first..<end]))
        }
    }

    /// Waits while half of the buffer contains results that the fastest reader has not read.
    ///
    /// If results were dropped before that reader has read them, they would have to be recomputed,
    /// which takes longer than waiting, and the reader would never catch up. Stopped readers are
    /// ignored.
    func waitForRoom(whileWaiting body: () -> Void) async {
        while !Task.isCancelled, isCrowded {
            body()
            await reads.wait(atMost: Self.patience)
        }
    }

    private var isCrowded: Bool {
        state.withLock { state in
            guard let last = state.lastRead, last.time.duration(to: .now) < Self.patience
            else { return false }
            let first = state.results.partitioningIndex { $0.number > last.number }
            let unread = state.results[first...].reduce(0) { $0 + $1.byteCount }
            return unread > bytesLimit / 2
        }
    }

    /// Waits until there is a result after `number`, or the task is cancelled.
    func wait(after number: Int64) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.lastNumber > number || state.cancelled.remove(id) != nil {
                        return true
                    }
                    state.waiters[id] = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.resume()
        }
        state.withLock { _ = $0.cancelled.remove(id) }
    }
}

extension ResultBuffer.State {
    fileprivate mutating func trim(to limit: Int) {
        var count = 0
        while byteCount > limit, count < results.count {
            byteCount -= results[count].byteCount
            floor = results[count].number
            count += 1
        }
        results.removeFirst(count)
    }
}

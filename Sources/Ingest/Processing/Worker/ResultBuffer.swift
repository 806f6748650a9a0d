import Algorithms
import Synchronization
import TaskCoordination

/// The worker's latest results, for exporters that are not lagging.
///
/// Results are dropped once all exporters have read them. The buffer is bounded in bytes: beyond
/// the bound the oldest results are dropped, and are recomputed from the journal for an exporter
/// that still needs them.
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
        /// The cursor of each exporter that has read.
        var cursors: [String: Int64] = [:]
    }

    enum Reading {
        case results([ExportableEntry])
        /// Results that the reader needs have been dropped.
        case dropped
    }

    private let state: Mutex<State>
    private let exporters: Set<String>
    private let bytesLimit: Int
    private let reads = Wakeup()

    /// The time without reads after which the worker no longer waits for readers.
    private static let patience = Duration.seconds(1)

    /// - Parameters:
    ///   - number: The worker's cursor, after which the first result will be.
    ///   - exporters: The names of the exporters, which read the results.
    init(after number: Int64, exporters: Set<String>, bytesLimit: Int) {
        state = Mutex(State(floor: number, lastNumber: number))
        self.exporters = exporters
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
    ///
    /// - Parameter exporter: The exporter that reads. It no longer needs earlier results.
    func read(after number: Int64, bytes: Int, for exporter: String) -> Reading {
        defer { reads.signal() }
        return state.withLock { state in
            state.lastRead = (max(number, state.lastRead?.number ?? number), .now)
            state.cursors[exporter] = number
            state.dropRead(by: exporters)
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
    /// Drops the oldest results until the others are within the limit.
    fileprivate mutating func trim(to limit: Int) {
        var count = 0
        var rest = byteCount
        while rest > limit, count < results.count {
            rest -= results[count].byteCount
            count += 1
        }
        drop(count)
    }

    /// Drops the results that every one of these exporters has read.
    fileprivate mutating func dropRead(by exporters: Set<String>) {
        guard !exporters.isEmpty else { return }
        let slowest = exporters.map { cursors[$0] ?? .min }.min() ?? .min
        drop(results.partitioningIndex { $0.number > slowest })
    }

    private mutating func drop(_ count: Int) {
        for result in results.prefix(count) {
            byteCount -= result.byteCount
            floor = result.number
        }
        results.removeFirst(count)
    }
}

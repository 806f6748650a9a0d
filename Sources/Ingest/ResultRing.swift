import Synchronization

/// The newest results of the worker, for exporters that keep up. Bounded in bytes: beyond it the
/// oldest go, and whoever still wants them makes them from the journal again.
final class ResultRing: Sendable {
    fileprivate struct State {
        var results: [WorkedEntry] = []
        var byteCount = 0
        /// Everything behind this number and up to ``lastNumber`` is in `results`.
        var floor: Int64
        var lastNumber: Int64
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<Int> = []
        var nextWaiter = 0
        /// How far the fastest reader has come, and when somebody read last.
        var lastRead: (number: Int64, time: ContinuousClock.Instant)?
    }

    /// What a reader finds.
    enum Reading {
        case results([WorkedEntry])
        /// It reads too far back.
        case gone
    }

    private let state: Mutex<State>
    private let bytesLimit: Int
    private let reads = Wakeup()

    /// A reader that has asked for nothing for so long is not waited for.
    private static let patience = Duration.seconds(1)

    /// - Parameter number: The place of the worker: nothing before it will be here.
    init(behind number: Int64, bytesLimit: Int) {
        state = Mutex(State(floor: number, lastNumber: number))
        self.bytesLimit = bytesLimit
    }

    /// The last entry that the worker is done with.
    var lastNumber: Int64 { state.withLock { $0.lastNumber } }

    func publish(_ results: [WorkedEntry], upTo number: Int64) {
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

    /// What there is behind `number`; none where nothing is there yet.
    func read(after number: Int64, bytes: Int) -> Reading {
        defer { reads.signal() }
        return state.withLock { state in
            state.lastRead = (max(number, state.lastRead?.number ?? number), .now)
            guard number >= state.floor else { return .gone }
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

    /// Waits while half of the ring is results that the fastest reader has not seen yet. Would it be
    /// overtaken, everything that it still wants had to be made a second time, which costs more than
    /// to wait, and it would never catch up. Readers that have stopped hold nobody up.
    func waitForRoom(whileWaiting note: () -> Void) async {
        while !Task.isCancelled, isCrowded {
            note()
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

    /// Waits until something is behind `number`, or the task is cancelled.
    func wait(behind number: Int64) async {
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

extension ResultRing.State {
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

extension Array {
    /// The first index whose element fulfils a condition that all elements behind it fulfil too.
    fileprivate func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

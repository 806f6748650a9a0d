import Synchronization

/// Limits the number and the total weight of concurrent operations. Waiting operations enter in the
/// order of their arrival.
public final class WeightedSemaphore: Sendable {
    private struct State {
        var weight = 0
        var count = 0
        var waiting: [(weight: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let weightLimit: Int
    private let countLimit: Int

    public init(weightLimit: Int, countLimit: Int) {
        self.weightLimit = weightLimit
        self.countLimit = countLimit
    }

    /// Waits until an operation fits. One that weighs more than the limit waits until it is alone.
    ///
    /// Cancellation does not end the wait: this is for short operations that must always be carried
    /// out.
    public func acquire(weight: Int) async {
        await withCheckedContinuation { continuation in
            let isAdmitted = state.withLock { state in
                guard state.waiting.isEmpty, fits(weight, in: state) else {
                    state.waiting.append((weight, continuation))
                    return false
                }
                state.weight += weight
                state.count += 1
                return true
            }
            if isAdmitted { continuation.resume() }
        }
    }

    public func release(weight: Int) {
        let admitted = state.withLock { state in
            state.weight -= weight
            state.count -= 1
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let next = state.waiting.first, fits(next.weight, in: state) {
                state.weight += next.weight
                state.count += 1
                admitted.append(next.continuation)
                state.waiting.removeFirst()
            }
            return admitted
        }
        for continuation in admitted { continuation.resume() }
    }

    private func fits(_ weight: Int, in state: State) -> Bool {
        state.count == 0 || state.count < countLimit && state.weight + weight <= weightLimit
    }
}

import Synchronization

/// Limits the number and the total weight of concurrent operations. Waiting operations enter in the
/// order of their arrival.
public final class WeightedSemaphore: Sendable {
    private struct Waiter {
        let id: Int
        let weight: Int
        /// Resumed with whether the operation is admitted.
        let continuation: CheckedContinuation<Bool, Never>
        /// Ends the wait at a deadline.
        var timer: Task<Void, Never>?

        func admit() {
            timer?.cancel()
            continuation.resume(returning: true)
        }
    }

    private struct State {
        var weight = 0
        var count = 0
        var waiting: [Waiter] = []
        var lastID = 0
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
        _ = await withCheckedContinuation { _ = enter($0, weight: weight) }
    }

    /// Waits until an operation fits, as ``acquire(weight:)`` does, but not beyond a deadline.
    ///
    /// - Returns: Whether the operation is admitted. Only then call ``release(weight:)``.
    public func acquire(weight: Int, until deadline: ContinuousClock.Instant) async -> Bool {
        await withCheckedContinuation { continuation in
            guard let id = enter(continuation, weight: weight) else { return }
            let timer = Task {
                do { try await Task.sleep(until: deadline, clock: .continuous) } catch { return }
                giveUp(id)
            }
            if !keep(timer, of: id) { timer.cancel() }
        }
    }

    /// Returns whether the operation still waits.
    private func keep(_ timer: Task<Void, Never>, of id: Int) -> Bool {
        state.withLock { state in
            guard let index = state.waiting.lastIndex(where: { $0.id == id }) else { return false }
            state.waiting[index].timer = timer
            return true
        }
    }

    /// Returns the number of an operation that waits, or `nil` if it is admitted at once.
    private func enter(_ continuation: CheckedContinuation<Bool, Never>, weight: Int) -> Int? {
        let id = state.withLock { state -> Int? in
            guard state.waiting.isEmpty, fits(weight, in: state) else {
                state.lastID += 1
                state.waiting.append(
                    Waiter(id: state.lastID, weight: weight, continuation: continuation))
                return state.lastID
            }
            state.weight += weight
            state.count += 1
            return nil
        }
        if id == nil { continuation.resume(returning: true) }
        return id
    }

    private func giveUp(_ id: Int) {
        let (waiter, admitted) = state.withLock { state -> (Waiter?, [Waiter]) in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
                return (nil, [])
            }
            // Lighter operations may have waited for this one only.
            return (state.waiting.remove(at: index), admit(&state))
        }
        waiter?.continuation.resume(returning: false)
        for waiter in admitted { waiter.admit() }
    }

    public func release(weight: Int) {
        let admitted = state.withLock { state in
            state.weight -= weight
            state.count -= 1
            return admit(&state)
        }
        for waiter in admitted { waiter.admit() }
    }

    /// Admits the operations at the head of the queue that fit.
    private func admit(_ state: inout State) -> [Waiter] {
        var admitted: [Waiter] = []
        while let next = state.waiting.first, fits(next.weight, in: state) {
            state.weight += next.weight
            state.count += 1
            admitted.append(next)
            state.waiting.removeFirst()
        }
        return admitted
    }

    private func fits(_ weight: Int, in state: State) -> Bool {
        state.count == 0 || state.count < countLimit && state.weight + weight <= weightLimit
    }
}

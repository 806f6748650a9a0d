import Synchronization
import TaskCoordination
import Testing

@Suite("Semaphores")
struct SemaphoreTests {
    @Test("a task semaphore limits the running tasks, and all of them run")
    func bounded() async throws {
        let semaphore = TaskSemaphore(count: 3)
        let load = Load()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await semaphore.run {
                        load.add(weight: 1)
                        await Task.yield()
                        load.remove(weight: 1)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(load.largestCount <= 3)
        #expect(load.removedCount == 50)
    }

    @Test("a cancelled task leaves the queue, and an error frees the slot")
    func cancelled() async throws {
        let semaphore = TaskSemaphore(count: 1)
        let waiting = try await semaphore.run {
            let task = Task { try await semaphore.run {} }
            task.cancel()
            return await task.result
        }
        #expect(throws: CancellationError.self) { try waiting.get() }
        await #expect(throws: CancellationError.self) {
            try await semaphore.run { throw CancellationError() }
        }
        #expect(try await semaphore.run { 7 } == 7)
    }

    @Test("a wait for a weighted semaphore ends at its deadline, and lighter operations enter")
    func deadline() async {
        let semaphore = WeightedSemaphore(weightLimit: 100, countLimit: 3)
        await semaphore.acquire(weight: 60)
        let isAdmitted = await withTaskGroup(of: (weight: Int, isAdmitted: Bool).self) { group in
            group.addTask {
                let deadline = ContinuousClock.now + .milliseconds(200)
                return (60, await semaphore.acquire(weight: 60, until: deadline))
            }
            group.addTask {
                // After the other one.
                try? await Task.sleep(for: .milliseconds(50))
                let deadline = ContinuousClock.now + .seconds(300)
                return (40, await semaphore.acquire(weight: 40, until: deadline))
            }
            return await group.reduce(into: [:]) { $0[$1.weight] = $1.isAdmitted }
        }
        #expect(isAdmitted == [60: false, 40: true])
        semaphore.release(weight: 60)
        #expect(await semaphore.acquire(weight: 60, until: .now))
    }

    @Test("a weighted semaphore limits count and weight, and one over the limit runs alone")
    func weighted() async {
        let semaphore = WeightedSemaphore(weightLimit: 100, countLimit: 3)
        let load = Load()
        await withTaskGroup(of: Void.self) { group in
            for number in 1...300 {
                let weight = number.isMultiple(of: 50) ? 500 : number % 40
                group.addTask {
                    await semaphore.acquire(weight: weight)
                    let now = load.add(weight: weight)
                    #expect(now.count <= 3)
                    #expect(now.weight <= 100 || now.count == 1)
                    await Task.yield()
                    load.remove(weight: weight)
                    semaphore.release(weight: weight)
                }
            }
        }
        #expect(load.removedCount == 300)
    }
}

@Suite("Concurrent map")
struct ConcurrentMapTests {
    @Test("results are in the order of the elements, for any width", arguments: [0, 1, 2, 100])
    func order(width: Int) async {
        let load = Load()
        let results = await Array(0..<40).concurrentMap(width: width) { number in
            load.add(weight: 1)
            for _ in 0..<(number % 5) { await Task.yield() }
            load.remove(weight: 1)
            return number * 2
        }
        #expect(results == (0..<40).map { $0 * 2 })
        #expect(load.largestCount <= max(width, 1))
    }

    @Test("no elements have no results")
    func empty() async {
        #expect(await [Int]().concurrentMap(width: 3) { $0 }.isEmpty)
    }
}

/// The operations that run at a moment.
private final class Load: Sendable {
    private let state = Mutex((count: 0, weight: 0, largest: 0, removed: 0))

    var largestCount: Int { state.withLock { $0.largest } }
    var removedCount: Int { state.withLock { $0.removed } }

    @discardableResult
    func add(weight: Int) -> (count: Int, weight: Int) {
        state.withLock {
            $0.count += 1
            $0.weight += weight
            $0.largest = max($0.largest, $0.count)
            return ($0.count, $0.weight)
        }
    }

    func remove(weight: Int) {
        state.withLock {
            $0.count -= 1
            $0.weight -= weight
            $0.removed += 1
        }
    }
}

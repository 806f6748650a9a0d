import Ingest
import JournalSupport
import Synchronization
import TestSupport
import Testing

@testable import SharedDatabase

@Suite("Appends to a slow database")
struct AppendQueueTests {
    /// A database that writes nothing before it is released.
    private final class SlowDatabase: Sendable {
        private let isReleased = Atomic(false)
        private let sizes = Mutex<[Int]>([])
        private let numbers = Mutex<[Int64?]>([])

        /// The numbers of drafts in the transactions that were begun.
        var begun: [Int] { sizes.withLock(\.self) }

        /// The numbers of successful appends.
        var acknowledged: [Int64?] { numbers.withLock(\.self) }

        func acknowledge(_ more: [Int64?]) { numbers.withLock { $0 += more } }

        func write(_ drafts: [StoredDraft]) async -> [Int64?] {
            let first = sizes.withLock { sizes in
                defer { sizes.append(drafts.count) }
                return sizes.reduce(1, +)
            }
            _ = await eventually { isReleased.load(ordering: .relaxed) }
            return drafts.indices.map { Int64(first + $0) }
        }

        func release() { isReleased.store(true, ordering: .relaxed) }
    }

    @Test("appends are refused after the time limit, and those that wait are never written")
    func timeLimit() async throws {
        let database = SlowDatabase()
        let queue = AppendQueue(timeLimit: .milliseconds(200)) { await database.write($0) }
        await withTaskGroup(of: Void.self) { group in
            for number in 1...5 {
                group.addTask {
                    await #expect(throws: JournalError.self) {
                        try await queue.append(
                            [draft(number)], afterCommit: database.acknowledge)
                    }
                }
            }
        }
        #expect(database.begun.count == 1)
        database.release()
        let isFast = await eventually { (try? await queue.append([draft(6)]) { _ in }) != nil }
        #expect(isFast)
        #expect(database.begun.dropFirst().allSatisfy { $0 == 1 })
        #expect(database.acknowledged == [])
    }

    @Test("an append that is fast enough succeeds")
    func inTime() async throws {
        let database = SlowDatabase()
        database.release()
        let queue = AppendQueue(timeLimit: .seconds(300)) { await database.write($0) }
        var numbers: [Int64?] = []
        for count in 1...2 {
            let drafts = (0..<count).map { draft($0) }
            numbers += try await queue.append(drafts) { _ in }
        }
        #expect(numbers == [1, 2, 3])
    }
}

import TestSupport
import Testing

@testable import HTTPService

@Suite("Limits of other tools' protocols", .ownThreads)
struct PeerLimitTests {
    @Test("a request past the limit is refused, and a reply is for its caller, once")
    func requests() async throws {
        let pending = PendingReplies()
        let id = try pending.start(by: .anonymous) { [1] }
        let other = Caller(name: "other", scopes: [], app: "other")
        #expect(try await pending.isUnknown(id, to: other))
        let state = try await pending.wait(for: id, by: .anonymous, .seconds(60))
        guard case .finished(.success(let bytes))? = state else {
            Issue.record("not finished")
            return
        }
        #expect(bytes == [1])
        #expect(try await pending.isUnknown(id, to: .anonymous))
        for _ in 0..<PendingReplies.limit {
            _ = try pending.start(by: .anonymous) {
                try await Task.sleep(for: .seconds(5))
                return []
            }
        }
        #expect(throws: RequestError.self) { try pending.start(by: .anonymous) { [] } }
    }

    @Test("replies that were not fetched do not count as requests in progress")
    func finished() async throws {
        let pending = PendingReplies()
        var ids: [String] = []
        for _ in 0..<PendingReplies.limit { ids.append(try pending.start(by: .anonymous) { [] }) }
        #expect(await eventually { pending.runningCount == 0 })
        _ = try pending.start(by: .anonymous) { [] }
        #expect(try await !pending.isUnknown(ids[0], to: .anonymous))
    }

    @Test("memory stays reserved until the last reference to its reservation is gone")
    func reservation() throws {
        let budget = RequestMemoryBudget(limit: 10)
        var reservation: MemoryReservation? = MemoryReservation(in: budget)
        try reservation?.add(4)
        try reservation?.add(4)
        #expect(throws: RequestError.self) { try reservation?.add(4) }
        #expect(throws: RequestError.self) { try budget.reserve(3) }
        reservation = nil
        try budget.reserve(10)
    }
}

extension PendingReplies {
    fileprivate func isUnknown(_ id: String, to caller: Caller) async throws -> Bool {
        if case .some = try await wait(for: id, by: caller, .zero) { false } else { true }
    }
}

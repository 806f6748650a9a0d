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
        for _ in 0..<PendingReplies.limit { _ = try pending.start(by: .anonymous) { [] } }
        #expect(throws: RequestError.self) { try pending.start(by: .anonymous) { [] } }
    }
}

extension PendingReplies {
    fileprivate func isUnknown(_ id: String, to caller: Caller) async throws -> Bool {
        if case .some = try await wait(for: id, by: caller, .zero) { false } else { true }
    }
}

import Ingest
import JournalSupport
import TestSupport
import Testing

@Suite("Repeatable drafts in both databases", .serialized, .ownThreads)
struct RepeatableDraftTests {
    @Test("a repeatable draft is appended once, others always", arguments: DatabaseKind.allCases)
    func once(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            #expect(
                try await journal.append([payload(1), draft(2), payload(1), payload(3)])
                    == [1, 2, nil, 3])
            #expect(
                try await journal.append([payload(3), draft(2), payload(4)]) == [nil, 4, 5])
            #expect(try await journal.append([payload(1)]) == [nil])
            let keys = try await journal.entries(after: 0, count: 9, bytes: .max).map(\.draft.key)
            #expect(keys == [1, 2, 3, 2, 4].map { draft($0).key })
            #expect(
                try await journal.appended([3, 2, 9].map { draft($0).key }) == [draft(3).key])
        }
    }

    @Test("of concurrent appends of one draft one has a number", arguments: DatabaseKind.allCases)
    func concurrent(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            let numbers = try await withThrowingTaskGroup(of: [Int64?].self) { group in
                for _ in 1...20 {
                    group.addTask { try await journal.append((1...3).map(payload)) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(numbers.count == 60)
            #expect(numbers.compactMap(\.self).sorted() == [1, 2, 3])
        }
    }
}

import CallStacks
import Ingest
import JournalSupport
import TestSupport
import Testing

@Suite("Readers and dead letters of both databases", .serialized, .ownThreads)
struct ReaderTests {
    private func reconcile(_ exporters: [String], _ journal: any PortJournal) async throws {
        try await journal.reconcile(
            ReaderReconciliation(exporters: exporters, stored: try await journal.readers()))
    }

    private func letter(
        _ exporter: String, at second: Int64 = 1, rejected: Int? = nil
    ) -> DeadLetter {
        DeadLetter(
            exporter: exporter, signal: .logs, refusal: .at(second), reason: "400", recordCount: 5,
            rejectedCount: rejected, body: [1, 2, 3])
    }

    @Test(
        "a renamed exporter has the cursor and the dead letters of the old name",
        arguments: DatabaseKind.allCases)
    func renamed(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            try await reconcile(["old"], journal)
            _ = try await journal.append((1...3).map { draft($0, size: 10) })
            try await journal.deadLetter(letter("old"), advancingTo: 1)
            try await reconcile(["new"], journal)
            #expect(try await journal.cursor(of: "new") == 1)
            #expect(try await journal.backlog(of: "new").count == 2)
            #expect(
                try await journal.deadLetterSummaries(after: 0, count: 9).map(\.exporter) == ["new"]
            )
            #expect(try await journal.readers().map(\.name) == ["new"])
        }
    }

    @Test(
        "the backlog of a name that is not configured stays until it is dropped",
        arguments: DatabaseKind.allCases)
    func orphan(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            try await reconcile(["a", "b"], journal)
            _ = try await journal.append((1...3).map { draft($0, size: 10) })
            try await journal.deadLetter(letter("a"), advancingTo: 1)
            try await reconcile(["c", "d"], journal)
            try await journal.advance(JournalReaders.worker, to: 3)
            for name in ["c", "d"] { #expect(try await journal.cursor(of: name) == 3) }
            let readers = try await journal.readers()
            #expect(readers.map(\.name) == ["a", "b", "c", "d"])
            #expect(readers.map(\.backlog.count) == [2, 3, 0, 0])
            #expect(readers.map(\.deadLetterCount) == [1, 0, 0, 0])
            #expect(readers.map(\.wasConfigured) == [false, false, true, true])
            #expect(try await journal.backlog().reader == "b")
            try await journal.dropReader("b")
            #expect(try await journal.backlog().reader == "a")
            try await journal.dropReader("a")
            #expect(try await journal.backlog() == Backlog())
            #expect(try await journal.deadLetterSummaries(after: 0, count: 9).isEmpty)
        }
    }

    @Test(
        "without exporters entries are stored, and the first exporters get them, oldest first",
        arguments: DatabaseKind.allCases)
    func unsent(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            try await reconcile([], journal)
            _ = try await journal.append((1...4).map { draft($0, size: 10) })
            try await journal.advance(JournalReaders.worker, to: 4)
            // Requests are not refused for it.
            #expect(try await journal.backlog() == Backlog())
            try await reconcile([], journal)
            #expect(try await journal.backlog(of: JournalReaders.unsent).count == 4)
            try await reconcile(["a", "b"], journal)
            for name in ["a", "b"] { #expect(try await journal.cursor(of: name) == 0) }
            #expect(try await journal.readers().map(\.name) == ["a", "b"])
            try await journal.advance("a", to: 4)
            try await journal.advance("b", to: 4)
        }
    }

    @Test(
        "without exporters entries are dropped once they are too old",
        arguments: DatabaseKind.allCases)
    func expiry(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            try await reconcile([], journal)
            let drafts = (1...6).map { number in
                var draft = draft(number, size: 100)
                draft.arrival = .at(Int64(number))
                return draft
            }
            _ = try await journal.appendAll(drafts)
            try await journal.advance(JournalReaders.worker, to: 6)
            #expect(try await journal.dropUnsent(before: .at(1), count: 9) == Backlog())
            let gone = try await journal.dropUnsent(before: .at(4), count: 2)
            #expect(gone == Backlog(bytes: 200, count: 2, reader: JournalReaders.unsent))
            #expect(try await journal.dropUnsent(before: .at(4), count: 2).count == 1)
            #expect(try await journal.dropUnsent(before: .at(4), count: 2).count == 0)
            try await reconcile(["a"], journal)
            #expect(try await journal.backlog(of: "a").count == 3)
            #expect(try await journal.dropUnsent(before: .at(9), count: 9) == Backlog())
        }
    }

    @Test(
        "without exporters the oldest entries beyond the limit are dropped",
        arguments: DatabaseKind.allCases)
    func trimming(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            try await reconcile([], journal)
            _ = try await journal.append((1...10).map { draft($0, size: 100) })
            try await journal.advance(JournalReaders.worker, to: 10)
            #expect(try await journal.trimUnsent(keeping: 1_000) == Backlog())
            let gone = try await journal.trimUnsent(keeping: 999)
            #expect(gone == Backlog(bytes: 100, count: 1, reader: JournalReaders.unsent))
            #expect(try await journal.trimUnsent(keeping: 450).count == 5)
            #expect(try await journal.trimUnsent(keeping: 450).count == 0)
            try await reconcile(["a"], journal)
            #expect(try await journal.backlog(of: "a").count == 4)
            #expect(try await journal.trimUnsent(keeping: 0) == Backlog())
        }
    }

    @Test(
        "a new exporter gets everything that arrived since an earlier one was removed",
        arguments: DatabaseKind.allCases)
    func orphanWithoutExporters(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            try await reconcile(["a"], journal)
            _ = try await journal.append([draft(1)])
            try await reconcile([], journal)
            _ = try await journal.append([draft(2)])
            try await reconcile(["b"], journal)
            #expect(try await journal.cursor(of: "b") == 0)
            #expect(try await journal.readers().map(\.name) == ["b"])
        }
    }

    @Test(
        "letters are resent automatically until they are refused under the same settings",
        arguments: DatabaseKind.allCases)
    func resendable(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            try await reconcile(["a", "b"], journal)
            for second in Int64(1)...3 {
                try await journal.deadLetter(letter("a", at: second), advancingTo: 0)
            }
            try await journal.deadLetter(letter("a", rejected: 2), advancingTo: 0)
            try await journal.deadLetter(letter("b"), advancingTo: 0)
            let claimant = DeadLetterClaimant()
            func ids(_ mark: String, after id: Int64 = 0) async throws -> [Int64] {
                try await journal.resendableDeadLetters(
                    of: "a", settingsFingerprint: mark, after: id, count: 9,
                    for: claimant
                ).map(\.id)
            }
            #expect(try await ids("x") == [1, 2, 3])
            try await journal.recordRefusal(of: [1, 3], settingsFingerprint: "x")
            #expect(try await ids("x") == [2])
            #expect(try await ids("y", after: 1) == [2, 3])
            let letters = try await journal.deadLetters(after: 3)
            #expect(letters.first?.rejectedCount == 2)
            #expect(
                try await journal.deadLetterCounts() == [
                    DeadLetterCount(exporter: "a", letterCount: 4, recordCount: 17),
                    DeadLetterCount(exporter: "b", letterCount: 1, recordCount: 5),
                ])
        }
    }

    @Test("a letter that was not delivered can be resent at once", arguments: DatabaseKind.allCases)
    func released(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            for second in Int64(1)...3 {
                try await journal.deadLetter(letter("a", at: second), advancingTo: 0)
            }
            let first = DeadLetterClaimant()
            let claimed = try await journal.claimDeadLetter(among: [2, 3, 9], after: 0, for: first)
            #expect(claimed?.id == 2)
            #expect(claimed?.body == [1, 2, 3])
            try await journal.releaseDeadLetters([2], of: first)
            let second = DeadLetterClaimant()
            for id in Int64(1)...3 {
                let next = try await journal.claimDeadLetter(
                    among: nil, after: id - 1, for: second)
                #expect(next?.id == id)
            }
            #expect(try await journal.claimDeadLetter(among: nil, after: 3, for: second) == nil)
            #expect(try await journal.claimDeadLetter(among: [9], after: 0, for: second) == nil)
        }
    }

    @Test(
        "letters are removed by age, and the oldest if all are too large",
        arguments: DatabaseKind.allCases)
    func removed(kind: DatabaseKind) async throws {
        try await withJournal(kind) { journal in
            for second in Int64(1)...6 {
                var letter = letter("a")
                letter.refusal = .at(second)
                letter.body = [UInt8](repeating: 1, count: 1_000)
                try await journal.deadLetter(letter, advancingTo: 0)
            }
            func remove(
                before second: Int64, keeping bytes: Int64, count: Int = 9
            ) async throws -> Int {
                try await journal.removeDeadLetters(
                    before: .at(second), keeping: bytes, count: count)
            }
            #expect(try await remove(before: 1, keeping: 6_000) == 0)
            #expect(try await remove(before: 2, keeping: 6_000) == 1)
            #expect(try await remove(before: 3, keeping: 3_500) == 2)
            #expect(try await remove(before: 3, keeping: 0, count: 1) == 1)
            #expect(try await journal.deadLetterSummaries(after: 0, count: 9).map(\.id) == [5, 6])
        }
    }
}

import CallStacks
import DebugFiles
import Ingest
import JournalSupport
import SymbolIntake
import TestSupport
import Testing

@Suite("Diagnostic archive of both databases", .serialized, .ownThreads)
struct DiagnosticArchiveTests {
    /// Appends a number of entries and commits their diagnostics.
    private func commit(_ rows: [DiagnosticRecord], to database: any PortJournal) async throws {
        let last = rows.map(\.address.entry).max() ?? 0
        let count = try await database.entries(after: 0, count: 1_000, bytes: .max).count
        if count < last {
            _ = try await database.append((count + 1...Int(last)).map { draft($0) })
        }
        try await database.commit(WorkerCommit(lastNumber: last, diagnostics: rows))
    }

    private func missing(
        _ database: any PortJournal, _ query: MissingQuery = MissingQuery()
    ) async throws -> [String] {
        try await database.missingImages(query).map { "\($0.name ?? "?") \($0.waitingCount)" }
    }

    @Test("diagnostics are read as stored, newest first", arguments: DatabaseKind.allCases)
    func lists(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, _ in
            var full = diagnostic(3, wanting: [wanted(2), wanted(1, isInApp: false)], heldUntil: 9)
            full.exceptionName = "NSRangeException"
            full.exceptionMessage = "index 3 beyond limits"
            full.kind = .hang
            full.app = nil
            let rows = [diagnostic(1), diagnostic(1, 1), full]
            try await commit(rows, to: database)
            #expect(try await database.diagnostics(DiagnosticQuery()) == rows.reversed())
            #expect(try await database.diagnostic(uid: "3-0") == full)
            #expect(try await database.diagnostic(uid: "4-0") == nil)
            let addresses = [full.address, RecordAddress(entry: 4, position: 0), rows[1].address]
            full.wanted = []
            #expect(try await database.diagnosticsToRevise(at: addresses) == [full, rows[1]])
            #expect(try await database.cursor(of: JournalReaders.worker) == 3)
        }
    }

    @Test("a diagnostic has its neighbours in a list", arguments: DatabaseKind.allCases)
    func neighbours(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, _ in
            var rows = (1...6).map { diagnostic($0) }
            rows[1].app = "com.example.other"
            rows[4].app = "com.example.other"
            try await commit(rows, to: database)
            func neighbours(_ index: Int, of app: String?) async throws -> DiagnosticNeighbours {
                var query = DiagnosticQuery(limit: 1)
                query.app = app
                query.before = rows[0].address
                return try await database.neighbours(of: rows[index].address, in: query)
            }
            let own = rows[0].app
            #expect(
                try await neighbours(3, of: own)
                    == DiagnosticNeighbours(newer: "6-0", older: "3-0", newerCount: 1))
            #expect(
                try await neighbours(0, of: own)
                    == DiagnosticNeighbours(newer: "3-0", older: nil, newerCount: 3))
            #expect(
                try await neighbours(5, of: nil)
                    == DiagnosticNeighbours(newer: nil, older: "5-0", newerCount: 0))
            #expect(try await neighbours(5, of: "none") == DiagnosticNeighbours())
        }
    }

    @Test(
        "a list has the rows that match its query, and continues after an address",
        arguments: DatabaseKind.allCases)
    func queries(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, _ in
            var rows = (1...6).map { diagnostic($0) }
            rows[1].kind = .hang
            rows[2].app = "com.example.other"
            rows[3].status = .partial
            try await commit(rows, to: database)
            func entries(_ change: (inout DiagnosticQuery) -> Void) async throws -> [Int64] {
                var query = DiagnosticQuery(limit: 3)
                change(&query)
                return try await database.diagnostics(query).map(\.address.entry)
            }
            #expect(try await entries { _ in } == [6, 5, 4])
            #expect(
                try await entries { $0.before = RecordAddress(entry: 4, position: 0) } == [3, 2, 1])
            #expect(try await entries { $0.kind = .hang } == [2])
            #expect(try await entries { $0.app = "com.example.other" } == [3])
            #expect(try await entries { $0.status = .partial } == [4])
            #expect(try await entries { $0.version = "1.5" } == [5])
            #expect(try await entries { $0.build = "6" } == [6])
            #expect(try await entries { $0.fingerprint = "f0" } == [6, 3])
            #expect(
                try await entries {
                    $0.fingerprint = "f0"
                    $0.before = RecordAddress(entry: 6, position: 0)
                } == [3])
            #expect(try await entries { $0.limit = -1 } == [6])
            var newer = DiagnosticQuery()
            newer.fingerprint = "f0"
            #expect(try await database.count(newer) == 2)
            newer.after = RecordAddress(entry: 3, position: 0)
            #expect(try await database.count(newer) == 1)
            #expect(try await database.count(DiagnosticQuery(limit: 4)) == 4)
        }
    }

    @Test(
        "diagnostics with one identifier are stored separately, and revised by address",
        arguments: DatabaseKind.allCases)
    func sameIdentifier(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, _ in
            var rows = [diagnostic(1, wanting: [wanted(1)]), diagnostic(1, 1), diagnostic(2)]
            for index in rows.indices {
                rows[index].uid = "one\0\(String(repeating: "é", count: 500))"
            }
            rows[2].app = "com.example.other"
            try await commit(rows, to: database)
            #expect(try await database.diagnostics(DiagnosticQuery()) == rows.reversed())
            let uid = rows[0].uid
            #expect(try await database.diagnostic(uid: uid) == rows[2])
            #expect(try await database.diagnostic(uid: uid, app: rows[0].app) == rows[1])
            #expect(try await database.diagnostic(uid: "one") == nil)
            #expect(try await database.diagnostic(at: rows[0].address) == rows[0])
            rows[0].revision = 2
            rows[0].status = .symbolicated
            rows[0].wanted = [wanted(2)]
            var unknown = diagnostic(1, 7)
            unknown.revision = 2
            try await database.commit(WorkerCommit(lastNumber: 2, revised: [rows[0], unknown]))
            #expect(try await database.diagnostics(DiagnosticQuery()) == rows.reversed())
            #expect(try await missing(database) == ["Image2 1"])
        }
    }

    @Test(
        "a revision is stored once, and only after the known one", arguments: DatabaseKind.allCases)
    func numbering(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, _ in
            var first = diagnostic(1, wanting: [wanted(1)])
            first.digest = digest(1)
            try await commit([first, diagnostic(1, 1, heldUntil: 9)], to: database)
            let known = try await database.revisions(ofEntry: 1)
            #expect(known.map(\.sent) == [first.sentRevision, diagnostic(1, 1).sentRevision])
            #expect(known.map(\.wasHeld) == [false, true])
            #expect(known.map(\.symbolicatedFrameCount) == [4, 4])
            let step = NextRevision(after: first.sentRevision, content: digest(2))
            #expect(try await database.advance([step], symbolsSeen: 0))
            #expect(try await !database.advance([step], symbolsSeen: 0))
            var next = first
            next.revision = 2
            next.digest = digest(2)
            #expect(try await database.diagnostic(at: first.address) == next)
            let error = await #expect(throws: JournalError.self) {
                try await database.commit(
                    WorkerCommit(
                        lastNumber: 1, revised: [first], expected: [first.sentRevision]))
            }
            #expect(error?.reason == .conflict)
            #expect(try await database.diagnostic(at: first.address) == next)
            var reduced = first
            reduced.symbolicatedFrameCount = 1
            reduced.wanted = [wanted(2)]
            let back = NextRevision(
                after: next.sentRevision, content: digest(1), reduced: reduced)
            #expect(try await database.advance([back], symbolsSeen: 0))
            reduced.revision = 3
            #expect(try await database.diagnostic(at: first.address)?.revision == 3)
            #expect(try await missing(database) == ["Image2 1"])
        }
    }

    @Test("the history of a diagnostic is stored with it", arguments: DatabaseKind.allCases)
    func histories(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, _ in
            var sent = diagnostic(1, wanting: [wanted(1)])
            sent.digest = digest(1)
            sent.history = history(1)
            try await commit([sent], to: database)
            #expect(try await database.diagnostic(at: sent.address) == sent)
            sent.history = history(2)
            try await database.commit(WorkerCommit(lastNumber: 1, revised: [sent]))
            #expect(try await database.diagnostic(at: sent.address) == sent)
            #expect(try await database.revisions(ofEntry: 1).map(\.history) == [history(2)])
            let next = NextRevision(
                after: sent.sentRevision, content: digest(2), history: history(3))
            #expect(try await database.advance([next], symbolsSeen: 0))
            #expect(try await database.revisions(ofEntry: 1).map(\.history) == [history(3)])
            var reduced = sent
            reduced.symbolicatedFrameCount = 1
            let last = NextRevision(
                after: next.sent, content: digest(3), reduced: reduced, history: history(4))
            #expect(try await database.advance([last], symbolsSeen: 0))
            #expect(try await database.revisions(ofEntry: 1).map(\.history) == [history(4)])
        }
    }

    /// A history of some revisions.
    private func history(_ count: Int) -> RevisionHistory {
        let revision = [UInt8](repeating: 7, count: 52)
        return RevisionHistory(bytes: (0..<count).flatMap { _ in revision })
    }

    private func digest(_ byte: UInt8) -> RecordDigest? {
        RecordDigest(bytes: [UInt8](repeating: byte, count: RecordDigest.length))
    }
}

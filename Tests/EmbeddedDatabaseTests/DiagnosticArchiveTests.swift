import CallStacks
import EmbeddedDatabase
import Ingest
import TestSupport
import Testing

@Suite("Diagnostic archive")
struct DiagnosticArchiveTests {
    /// Appends a number of entries and commits their diagnostics.
    private func commit(_ rows: [DiagnosticRecord], to database: EmbeddedDatabase) async throws {
        let last = rows.map(\.address.entry).max() ?? 0
        let count = try await database.entries(after: 0, count: 1_000, bytes: .max).count
        if count < last {
            _ = try await database.append((count + 1...Int(last)).map { draft($0) })
        }
        try await database.commit(WorkerCommit(lastNumber: last, diagnostics: rows))
    }

    private func missing(
        _ database: EmbeddedDatabase, _ query: MissingQuery = MissingQuery()
    ) async throws -> [String] {
        try await database.missingImages(query).map { "\($0.name ?? "?") \($0.waitingCount)" }
    }

    @Test("diagnostics are read as stored, newest first")
    func lists() async throws {
        try await withDatabase { database in
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
            #expect(try await database.diagnostics(at: addresses) == [full, rows[1]])
            #expect(try await database.cursor(of: JournalReaders.worker) == 3)
        }
    }

    @Test("a list has the rows that match its query, and continues after an address")
    func queries() async throws {
        try await withDatabase { database in
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

    @Test("diagnostics with one identifier are stored separately, and revised by address")
    func sameIdentifier() async throws {
        try await withDatabase { database in
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

    @Test("a revision is stored once, and only after the known one")
    func numbering() async throws {
        try await withDatabase { database in
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

    private func digest(_ byte: UInt8) -> RecordDigest? {
        RecordDigest(bytes: [UInt8](repeating: byte, count: RecordDigest.length))
    }

    @Test("a diagnostic stays until every reader has passed its entries")
    func repeatableStay() async throws {
        try await withDatabase { database in
            _ = try await database.cursor(of: "slow")
            try await commit([diagnostic(1, wanting: [wanted(1)])], to: database)
            func remove() async throws -> Int {
                try await database.removeDiagnostics(before: .at(99), keeping: 0, count: 10)
            }
            #expect(try await remove() == 0)
            _ = try await database.wake(waitingFor: image(1), since: .at(0), due: .at(2))
            #expect(try await database.enqueueDue(count: 9, now: .at(5)).map(\.number) == [2])
            try await database.commit(WorkerCommit(lastNumber: 2, revised: [diagnostic(1)]))
            try await database.advance("slow", to: 1)
            #expect(try await remove() == 0)
            try await database.advance("slow", to: 2)
            #expect(try await remove() == 1)
        }
    }

    @Test("missing images have their app versions, those with most diagnostics first")
    func missingImages() async throws {
        try await withDatabase { database in
            var other = diagnostic(3, wanting: [wanted(1), wanted(3, isInApp: false)])
            other.app = "com.example.other"
            other.build = nil
            try await commit(
                [
                    diagnostic(1, wanting: [wanted(2), wanted(1)]),
                    diagnostic(2, wanting: [wanted(1), wanted(1)]), other,
                ], to: database)
            #expect(try await missing(database) == ["Image1 3", "Image3 1", "Image2 1"])
            #expect(try await missing(database, MissingQuery(limit: 1)) == ["Image1 3"])
            #expect(try await missing(database, MissingQuery(scope: .system)) == ["Image3 1"])
            let ofApp = MissingQuery(scope: .app, app: "com.example.shop")
            #expect(try await missing(database, ofApp) == ["Image1 3", "Image2 1"])
            #expect(
                try await database.missingImages(MissingQuery(limit: 1)) == [
                    MissingImage(
                        image: image(1), name: "Image1", architecture: "arm64", isInApp: true,
                        appVersions: ["1.1 (1)", "1.2 (2)", "1.3"], waitingCount: 3,
                        firstSeen: .at(1), lastSeen: .at(3))
                ])
            let versions = try await database.missingImages(ofApp).map(\.appVersions)
            #expect(versions == [["1.1 (1)", "1.2 (2)"], ["1.1 (1)"]])
        }
    }

    @Test(
        "a summary of missing images counts them as the list does",
        arguments: 1...8 as ClosedRange<UInt64>)
    func missingSummary(seed: UInt64) async throws {
        var numbers = SplitMix64(seed: seed)
        try await withDatabase { database in
            let rows = (1...20 as ClosedRange<Int64>).map { entry -> DiagnosticRecord in
                let images = (0..<3).map { _ -> WantedImage in
                    var image = wanted(
                        UInt8.random(in: 1...6, using: &numbers),
                        isInApp: Bool.random(using: &numbers))
                    image.app = ["a", nil].randomElement(using: &numbers) ?? nil
                    return image
                }
                var row = diagnostic(entry, wanting: images)
                row.app = ["a", "b"].randomElement(using: &numbers)
                return row
            }
            try await commit(rows, to: database)
            for scope in [nil, .app, .system] as [MissingQuery.Scope?] {
                for (app, boundApp) in [(nil, nil), ("a", nil), ("a", "a"), (nil, "b")]
                    as [(String?, String?)]
                {
                    let query = MissingQuery(scope: scope, app: app, boundApp: boundApp)
                    let images = try await database.missingImages(query)
                    let summary = try await database.missingSummary(query)
                    #expect(summary.imageCount == images.count)
                    #expect(
                        summary.largestWaitingCount == images.map(\.waitingCount).max() ?? 0)
                }
            }
        }
    }

    @Test("the newest fifty versions that want an image are kept")
    func manyVersions() async throws {
        try await withDatabase { database in
            let rows = (1...60).map { diagnostic($0, wanting: [wanted(1)]) }
            try await commit(rows, to: database)
            let versions = try await database.missingImages(MissingQuery()).first?.appVersions
            #expect(versions == (11...60).map { "1.\($0) (\($0))" })
        }
    }

    @Test("an arrived image wakes its diagnostics, and leaves the list")
    func waking() async throws {
        try await withDatabase { database in
            try await commit(
                [
                    diagnostic(1, wanting: [wanted(1)]),
                    diagnostic(2, wanting: [wanted(1), wanted(2)]),
                    diagnostic(3, wanting: [wanted(1)]), diagnostic(4, wanting: [wanted(2)]),
                ], to: database)
            #expect(try await database.wake(waitingFor: image(1), since: .at(2), due: .at(9)) == 2)
            #expect(try await database.wake(waitingFor: image(1), since: .at(0), due: .at(2)) == 0)
            #expect(try await missing(database) == ["Image2 2"])
            #expect(try await database.diagnostic(uid: "2-0")?.wanted == [wanted(2)])
            #expect(try await database.enqueueDue(count: 5, now: .at(8)).isEmpty)
            let first = try await database.enqueueDue(count: 1, now: .at(50))
            try #require(first.map(\.number) == [5])
            #expect(first[0].draft.signal == .revision)
            #expect(first[0].draft.arrival == .at(50))
            #expect(first.map(\.address) == ["2:0"])
            let second = try await database.enqueueDue(count: 5, now: .at(50))
            #expect(second.map(\.address) == ["3:0"])
            #expect(try await database.enqueueDue(count: 5, now: .at(50)).isEmpty)
            let entries = try await database.entries(after: 4, count: 9, bytes: .max)
            #expect(entries.map(\.draft.body) == (first + second).map(\.draft.body))
        }
    }

    @Test("more diagnostics than fit in one transaction are woken")
    func manyWake() async throws {
        try await withDatabase { database in
            let rows = (1...1_300).map { diagnostic(1, $0, wanting: [wanted(1), wanted(2)]) }
            try await commit(rows, to: database)
            #expect(
                try await database.wake(waitingFor: image(1), since: .at(0), due: .at(2)) == 1_300)
            #expect(try await missing(database) == ["Image2 1300"])
            #expect(try await database.enqueueDue(count: 2_000, now: .at(2)).count == 1_300)
        }
    }

    @Test("a held diagnostic is enqueued once, when its hold ends")
    func holding() async throws {
        try await withDatabase { database in
            try await commit(
                [
                    diagnostic(1, heldUntil: 20), diagnostic(2, heldUntil: 10), diagnostic(3),
                    diagnostic(4, wanting: [wanted(1)], heldUntil: 99),
                ], to: database)
            func enqueueDue(at seconds: Int64) async throws -> [String] {
                try await database.enqueueDue(count: 9, now: .at(seconds))
                    .map(\.address)
            }
            #expect(try await enqueueDue(at: 9).isEmpty)
            #expect(try await enqueueDue(at: 10) == ["2:0"])
            #expect(try await database.wake(waitingFor: image(1), since: .at(0), due: .at(2)) == 1)
            #expect(try await enqueueDue(at: 20) == ["4:0", "1:0"])
            #expect(try await enqueueDue(at: 200).isEmpty)
            let row = try await database.diagnostic(uid: "4-0")
            #expect(row?.state == .released)
            #expect(row?.heldUntil == .at(99))
        }
    }

    @Test("marks, holds and waits survive a restart")
    func reopening() async throws {
        let folder = try DataFolder()
        var database = try folder.open()
        try await commit(
            [
                diagnostic(1, wanting: [wanted(1)]), diagnostic(2, heldUntil: 10),
                diagnostic(3, wanting: [wanted(2)]),
            ], to: database)
        _ = try await database.wake(waitingFor: image(1), since: .at(0), due: .at(2))
        try await database.close()
        database = try folder.open()
        #expect(try await missing(database) == ["Image2 1"])
        #expect(try await database.enqueueDue(count: 9, now: .at(10)).count == 2)
        #expect(try await database.wake(waitingFor: image(2), since: .at(0), due: .at(2)) == 1)
        try await database.close()
    }

    @Test("the oldest diagnostics are removed first, except held and marked ones")
    func retention() async throws {
        try await withDatabase { database in
            try await commit(
                [
                    diagnostic(1, heldUntil: 50), diagnostic(2, wanting: [wanted(1)]),
                    diagnostic(3, wanting: [wanted(2)]), diagnostic(4), diagnostic(5),
                    diagnostic(6),
                ], to: database)
            _ = try await database.wake(waitingFor: image(1), since: .at(0), due: .at(2))
            func remove(before seconds: Int64, keeping bytes: Int64) async throws -> Int {
                try await database.removeDiagnostics(
                    before: .at(seconds), keeping: bytes, count: 10)
            }
            func left() async throws -> [Int64] {
                try await database.diagnostics(DiagnosticQuery()).map(\.address.entry)
            }
            #expect(try await remove(before: 4, keeping: .max) == 1)
            #expect(try await left() == [6, 5, 4, 2, 1])
            #expect(try await missing(database).isEmpty)
            // Bodies of 40 bytes each.
            #expect(try await remove(before: 0, keeping: 199) == 1)
            #expect(try await left() == [6, 5, 2, 1])
            #expect(try await remove(before: 0, keeping: 0) == 2)
            #expect(try await left() == [2, 1])
            #expect(try await database.removePassed(count: 10) == 4)
        }
    }

    @Test("a released diagnostic stays until every reader has passed its entry")
    func releasedStay() async throws {
        try await withDatabase { database in
            _ = try await database.cursor(of: "slow")
            try await commit([diagnostic(1, heldUntil: 5)], to: database)
            #expect(try await database.enqueueDue(count: 9, now: .at(5)).map(\.number) == [2])
            func remove() async throws -> Int {
                try await database.removeDiagnostics(before: .at(99), keeping: 0, count: 10)
            }
            // The worker has not processed it yet.
            #expect(try await remove() == 0)
            var sent = diagnostic(1, heldUntil: 5)
            sent.state = .sent
            try await database.commit(WorkerCommit(lastNumber: 2, revised: [sent]))
            try await database.advance("slow", to: 1)
            #expect(try await remove() == 0)
            try await database.advance("slow", to: 2)
            #expect(try await remove() == 1)
        }
    }

    @Test("a diagnostic woken again during the debounce is enqueued at the later moment")
    func resting() async throws {
        try await withDatabase { database in
            try await commit([diagnostic(1, wanting: [wanted(1), wanted(2)])], to: database)
            #expect(try await database.wake(waitingFor: image(1), since: .at(0), due: .at(4)) == 1)
            #expect(try await database.wake(waitingFor: image(2), since: .at(0), due: .at(6)) == 1)
            #expect(try await database.enqueueDue(count: 9, now: .at(5)).isEmpty)
            #expect(try await database.enqueueDue(count: 9, now: .at(6)).count == 1)
        }
    }

    @Test("a payload is known as long as its entry is stored")
    func knownPayloads() async throws {
        try await withDatabase { database in
            _ = try await database.append([draft(1, signal: .metricKit), draft(2)])
            #expect(try await database.isKnown(payload: draft(1).key))
            #expect(try await !database.isKnown(payload: draft(2).key))
            try await database.advance(JournalReaders.worker, to: 2)
            #expect(try await database.removePassed(count: 9) == 2)
            #expect(try await !database.isKnown(payload: draft(1).key))
        }
    }

    @Test("a dead letter is stored with the exporter's cursor, until it is removed")
    func deadLetters() async throws {
        try await withDatabase { database in
            _ = try await database.cursor(of: "otlp")
            _ = try await database.append((1...3).map { draft($0) })
            var letters = (1...3).map { number in
                DeadLetter(
                    exporter: "otlp", signal: .traces, refusal: .at(9), reason: "400 Bad Request",
                    recordCount: number, body: [UInt8](repeating: 1, count: number * 1_000))
            }
            for (place, letter) in zip(Int64(1)..., letters) {
                try await database.deadLetter(letter, advancingTo: place)
            }
            for index in letters.indices { letters[index].id = Int64(index + 1) }
            #expect(try await database.cursor(of: "otlp") == 3)
            #expect(try await database.deadLetters(after: 0, count: 9) == letters)
            #expect(try await database.deadLetters(after: 1, count: 1) == [letters[1]])
            let summaries = try await database.deadLetterSummaries(after: 1, count: 9)
            #expect(summaries.map(\.id) == [2, 3])
            #expect(summaries.map(\.byteCount) == [2_000, 3_000])
            #expect(summaries.map(\.reason) == ["400 Bad Request", "400 Bad Request"])
            try await database.removeDeadLetters([1, 3, 77])
            #expect(try await database.deadLetters(after: 0, count: 9) == [letters[1]])
        }
    }

    @Test("dead letters are removed by age, and the oldest if all are too large")
    func deadLettersOfOld() async throws {
        try await withDatabase { database in
            _ = try await database.cursor(of: "otlp")
            for second in 1...5 {
                let letter = DeadLetter(
                    exporter: "otlp", signal: .logs, refusal: .at(Int64(second)), reason: "400",
                    recordCount: 1, body: [UInt8](repeating: 1, count: 1_000))
                try await database.deadLetter(letter, advancingTo: 0)
            }
            func remove(before second: Int64, keeping bytes: Int64) async throws -> Int {
                try await database.removeDeadLetters(
                    before: .at(second), keeping: bytes, count: 9)
            }
            func ids() async throws -> [Int64] {
                try await database.deadLetters(after: 0, count: 9).map(\.id)
            }
            #expect(try await remove(before: 2, keeping: 5_000) == 1)
            #expect(try await remove(before: 2, keeping: 5_000) == 0)
            #expect(try await ids() == [2, 3, 4, 5])
            #expect(try await remove(before: 2, keeping: 2_500) == 2)
            #expect(try await ids() == [4, 5])
        }
    }
}

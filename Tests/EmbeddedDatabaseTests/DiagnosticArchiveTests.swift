import CallStacks
import EmbeddedDatabase
import Ingest
import JournalSupport
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

    @Test("a payload is known as long as its entry is stored")
    func knownPayloads() async throws {
        try await withDatabase { database in
            #expect(try await database.append([payload(1), draft(2)]) == [1, 2])
            #expect(try await database.append([payload(1)]) == [nil])
            try await database.advance(JournalReaders.worker, to: 2)
            #expect(try await database.removePassed(count: 9) == 2)
            #expect(try await database.append([payload(1)]) == [3])
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
            #expect(try await database.deadLetters() == letters)
            let summaries = try await database.deadLetterSummaries(after: 1, count: 9)
            #expect(summaries.map(\.id) == [2, 3])
            #expect(summaries.map(\.byteCount) == [2_000, 3_000])
            #expect(summaries.map(\.reason) == ["400 Bad Request", "400 Bad Request"])
            try await database.removeDeadLetters([1, 3, 77])
            #expect(try await database.deadLetters() == [letters[1]])
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
                try await database.deadLetterSummaries(after: 0, count: 9).map(\.id)
            }
            #expect(try await remove(before: 2, keeping: 5_000) == 1)
            #expect(try await remove(before: 2, keeping: 5_000) == 0)
            #expect(try await ids() == [2, 3, 4, 5])
            #expect(try await remove(before: 2, keeping: 2_500) == 2)
            #expect(try await ids() == [4, 5])
        }
    }
}

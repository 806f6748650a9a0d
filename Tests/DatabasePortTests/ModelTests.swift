import CallStacks
import Foundation
import Ingest
import JournalSupport
import TestSupport
import Testing

/// Bodies are random, so that their stored size is their size.
@Suite("Journals of both databases compared with a model", .serialized, .ownThreads)
struct ModelTests {
    /// A database and its model, which execute the same steps.
    private struct Pair {
        var database: any PortDatabase
        var model = JournalModel()
        var numbers: SplitMix64
        var letterCount: Int64 = 0

        init(_ database: any PortDatabase, seed: UInt64) {
            self.database = database
            numbers = SplitMix64(seed: seed)
        }

        var journal: any PortJournal { database.journal }

        mutating func number(_ range: ClosedRange<Int>) -> Int {
            Int.random(in: range, using: &numbers)
        }

        mutating func reader() -> String {
            ["a", "b", JournalReaders.worker].randomElement(using: &numbers) ?? "a"
        }

        mutating func step() async throws {
            switch number(0...19) {
            case 0...5: try await append()
            case 6...10: try await advance()
            case 11...14: try await readRun()
            case 15: try await readNumbers()
            case 16: try await deadLetter()
            case 17: try await dropReader()
            case 18: try await database.removePassed()
            default: database = try await database.reopened(afterRelease: number(0...1) == 0)
            }
        }

        private mutating func append() async throws {
            let drafts = (0..<number(1...6)).map { part in
                draft(
                    number(0...9_999), size: number(0...250), at: model.last + Int64(part),
                    app: number(0...1) == 0 ? nil : "com.example.shop")
            }
            #expect(try await journal.append(drafts) == model.append(drafts))
        }

        private mutating func advance() async throws {
            let reader = reader()
            #expect(try await journal.cursor(of: reader) == model.cursor(of: reader))
            let slowest = Int(model.slowest)
            let target = Int64(number(slowest...max(slowest, Int(model.last)) + 2))
            try await journal.advance(reader, to: target)
            model.advance(reader, to: target)
        }

        private mutating func readRun() async throws {
            let start = Int64(number(Int(model.slowest)...Int(model.last)))
            let (count, bytes) = (number(0...8), number(0...1_000))
            let entries = try await journal.entries(after: start, count: count, bytes: bytes)
            #expect(
                entries.map(\.number) == model.run(after: start, count: count, bytes: bytes))
            expectContents(entries)
        }

        private mutating func readNumbers() async throws {
            let (first, last) = (Int(model.slowest) + 1, Int(model.last))
            guard first <= last else { return }
            let wanted = Set((0..<5).map { _ in Int64(number(first...last)) })
                .shuffled(using: &numbers)
            let entries = try await journal.entries(wanted + [model.last + 1], bytes: .max)
            #expect(entries.map(\.number) == wanted)
            expectContents(entries)
        }

        private func expectContents(_ entries: [JournalEntry]) {
            for entry in entries {
                let draft = model.entries[Int(entry.number) - 1]
                #expect(entry.draft.isEqual(to: draft))
            }
        }

        private mutating func deadLetter() async throws {
            let reader = ["a", "b"].randomElement(using: &numbers) ?? "a"
            let number = model.cursor(of: reader) + Int64(number(0...2))
            _ = try await journal.cursor(of: reader)
            letterCount += 1
            let letter = DeadLetter(
                exporter: reader, signal: .traces, refusal: .at(letterCount), reason: "400",
                recordCount: 2,
                body: [UInt8](repeating: 1, count: 300))
            try await journal.deadLetter(letter, advancingTo: number)
            model.deadLetter(of: reader, advancingTo: number)
        }

        private mutating func dropReader() async throws {
            let reader = ["a", "b"].randomElement(using: &numbers) ?? "a"
            try await journal.dropReader(reader)
            model.dropReader(reader)
        }

        mutating func expectEqual() async throws {
            #expect(try await journal.backlog() == model.backlog)
            #expect(try await journal.workerBacklog() == model.workerBacklog)
            let reader = reader()
            #expect(try await journal.backlog(of: reader) == model.backlog(of: reader))
            let letters = try await journal.deadLetterSummaries(after: 0, count: 9_999)
            #expect(letters.map(\.exporter) == model.letters)
        }
    }

    /// The number of steps; `SYMBOLIST_MODEL_STEPS` overrides it.
    private static let steps = setting("SYMBOLIST_MODEL_STEPS") ?? 150
    /// Consecutive seeds; `SYMBOLIST_MODEL_SEED` overrides the first one.
    private static let seeds = (0..<3).map { UInt64(setting("SYMBOLIST_MODEL_SEED") ?? 1) &+ $0 }

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test(
        "a journal and its model behave the same", arguments: DatabaseKind.allCases, seeds)
    func sameSteps(kind: DatabaseKind, seed: UInt64) async throws {
        try await withDatabase(kind) { database in
            var pair = Pair(database, seed: seed)
            for _ in 0..<Self.steps {
                try await pair.step()
                try await pair.expectEqual()
            }
            try await pair.database.close()
        }
    }
}

import CallStacks
import EmbeddedDatabase
import Ingest
import JournalSupport
import TestSupport
import Testing

@Suite("Journal and archive compared with a model")
struct ModelTests {
    /// A database and its model, which execute the same steps.
    private struct Pair {
        let folder: DataFolder
        var database: EmbeddedDatabase
        var model = Model()
        var numbers: SplitMix64

        init(seed: UInt64) throws {
            folder = try DataFolder()
            database = try folder.open()
            numbers = SplitMix64(seed: seed)
        }

        mutating func number(_ range: ClosedRange<Int>) -> Int {
            Int.random(in: range, using: &numbers)
        }

        mutating func step() async throws {
            switch number(0...13) {
            case 0...3: try await append()
            case 4...6: try await commit()
            case 7: try await moveReaders()
            case 8: try await wake()
            case 9, 10: try await enqueueDue()
            case 11: try await removeDiagnostics()
            case 12: #expect(try await database.removePassed(count: 9_999) == model.removePassed())
            default: try await reopen()
            }
        }

        private mutating func append() async throws {
            let drafts = (0..<number(1...6)).map { part in
                draft(number(0...9_999), size: number(0...250), at: model.last + Int64(part))
            }
            #expect(try await database.append(drafts) == model.append(drafts))
        }

        private mutating func commit() async throws {
            let cursor = try await database.cursor(of: JournalReaders.worker)
            #expect(cursor == model.cursor(of: "worker"))
            let last = min(cursor + Int64(number(0...5)), model.last)
            var work = WorkerCommit(
                lastNumber: last, symbolsSeen: try await database.lastSymbolChange())
            if cursor < last {
                for entry in (cursor + 1)...last {
                    for position in 0..<number(0...2) {
                        work.diagnostics.append(
                            try row(RecordAddress(entry: entry, position: position)))
                    }
                }
            }
            for old in model.rows.shuffled(using: &numbers).prefix(number(0...2)) {
                var revision = try row(old.address)
                revision.revision = old.revision + 1
                work.revised.append(revision)
            }
            try await database.commit(work)
            model.commit(work)
        }

        /// Holds end in the order of the addresses.
        private mutating func row(_ address: RecordAddress) throws -> DiagnosticRecord {
            let images = (1...5).filter { _ in number(0...2) == 0 }.shuffled(using: &numbers)
            let entry = try #require(model.entries[address.entry])
            let seconds = entry.arrival.rawValue / 1_000
            return diagnostic(
                address.entry, address.position, wanting: images.map { wanted(UInt8($0)) },
                heldUntil: number(0...3) == 0 ? seconds + 5 : nil, at: seconds)
        }

        private mutating func moveReaders() async throws {
            let reader = ["a", "b"].randomElement(using: &numbers)!
            #expect(try await database.cursor(of: reader) == model.cursor(of: reader))
            let target = Int64(number(0...Int(model.last) + 2))
            try await database.advance(reader, to: target)
            model.advance(reader, to: target)
            guard number(0...3) == 0 else { return }
            try await database.dropReader(reader)
            model.dropReader(reader)
        }

        private mutating func wake() async throws {
            let image = image(UInt8(number(1...6)))
            let oldest = UnixTime.at(Int64(number(0...Int(model.last))))
            let due = UnixTime.at(model.last + Int64(number(0...3)))
            let expected = model.wake(waitingFor: image, since: oldest, due: due)
            #expect(
                try await database.wake(waitingFor: image, since: oldest, due: due) == expected)
        }

        private mutating func enqueueDue() async throws {
            let now = UnixTime.at(model.last)
            let count = number(1...4)
            let entries = try await database.enqueueDue(count: count, now: now)
            #expect(entries.map(\.address) == model.enqueueDue(count: count, now: now))
            #expect(model.append(entries.map(\.draft)) == entries.map(\.number))
        }

        private mutating func removeDiagnostics() async throws {
            let oldest = UnixTime.at(Int64(number(0...Int(model.last))))
            let bytes = Int64(number(0...3_000))
            let count = number(1...20)
            let expected = model.removeDiagnostics(before: oldest, keeping: bytes, count: count)
            let removed = try await database.removeDiagnostics(
                before: oldest, keeping: bytes, count: count)
            #expect(removed == expected)
        }

        private mutating func reopen() async throws {
            try await database.close()
            database = try folder.open()
        }

        /// All awaited images, read two at a time.
        private func awaitedImages() async throws -> [AwaitedImage] {
            var all: [AwaitedImage] = []
            while true {
                let more = try await database.awaitedImages(after: all.last, count: 2)
                if more.isEmpty { return all }
                all += more
            }
        }

        func expectEqual() async throws {
            #expect(try await database.backlog() == model.backlog)
            let rows = try await database.diagnostics(DiagnosticQuery(limit: 1_000))
            #expect(rows == model.rows.reversed())
            let entries = try await database.entries(after: 0, count: 9_999, bytes: .max)
            #expect(entries.map(\.number) == model.entries.keys.sorted())
            for entry in entries {
                #expect(model.entries[entry.number]?.isEqual(to: entry.draft) == true)
            }
            let missing = try await database.missingImages(MissingQuery())
            #expect(missing.count == model.missingImages.count)
            let awaited = try await awaitedImages()
            #expect(
                awaited.map(\.image.bytes)
                    == awaited.map(\.image.bytes).sorted { $0.lexicographicallyPrecedes($1) })
            #expect(Set(awaited.map(\.image)).count == awaited.count)
            #expect(Set(awaited.map(\.image)) == Set(model.missingImages.keys))
            for image in missing {
                let found = Model.Missing(
                    versions: image.appVersions, waiting: image.waitingCount,
                    firstSeen: image.firstSeen, lastSeen: image.lastSeen)
                #expect(model.missingImages[image.image] == found)
            }
        }
    }

    @Test("both behave the same", arguments: UInt64(0)..<12)
    func sameSteps(seed: UInt64) async throws {
        var pair = try Pair(seed: seed)
        for _ in 0..<120 {
            try await pair.step()
            try await pair.expectEqual()
        }
        try await pair.database.close()
    }
}

import CallStacks
import Ingest
import JournalSupport
import PostgreSQL
import SharedDatabase
import SymbolIntake
import TestSupport
import Testing

@Suite("Catalogue of several nodes", .serialized, .ownThreads)
struct CatalogueTests {
    @Test("of equal files that nodes add at once, one is stored")
    func equalFiles() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { first in
            try await cluster.withNode { second in
                let changes = try await withThrowingTaskGroup(of: CatalogueChange.self) { group in
                    for number in 0..<40 {
                        let database = number % 2 == 0 ? first.database : second.database
                        group.addTask {
                            try await database.add(
                                debugFile(of: image(UInt8(number / 4 + 1)), blob: "b\(number)"))
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let numbers = changes.compactMap(\.number)
                #expect(Set(numbers).count == 10 && numbers.count == 10)
                #expect(try await first.database.lastSymbolChange() == numbers.max())
                #expect(try await second.database.debugFiles(DebugFileQuery()).count == 10)
            }
        }
    }

    @Test("changes are seen in the order of their numbers, so that none is passed over")
    func order() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { first in
            try await cluster.withNode { second in
                let numbers = try await withThrowingTaskGroup(of: [Int64].self) { group in
                    for node in [first, second] {
                        group.addTask {
                            var seen: [Int64] = []
                            for number in 0..<20 {
                                let file = debugFile(of: image(UInt8(number + 1)))
                                let own = try await node.database.recordChange(of: file)
                                let last = try await node.database.lastSymbolChange()
                                #expect(own <= last)
                                // All changes up to the last one are stored.
                                let count = try await cluster.run(
                                    "SELECT count(*) FROM symbol_change WHERE seq <= \(last)")
                                #expect(try count.first?.value(0, .int8) == last)
                                seen.append(own)
                            }
                            return seen
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                #expect(numbers.sorted() == Array(1...40))
            }
        }
    }

    @Test("names that contain NUL are stored up to it, and change nothing else")
    func nul() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            var file = debugFile(of: image(1), warnings: ["a\0b", "c"])
            file.name = "Sh\0op"
            _ = try await node.database.add(file)
            let stored = try await node.database.debugFiles(of: image(1))
            #expect(stored.map(\.name) == ["Sh"])
            #expect(stored.map(\.warnings) == [["a", "c"]])
            let refusal = UploadRefusal(time: .at(1), name: "x\0", reason: "\0y", app: "a\0")
            try await node.database.add([refusal])
            let refusals = try await node.database.refusals(app: "a")
            #expect(refusals.map(\.name) == ["x"])
        }
    }

    @Test("a file whose blob is damaged is missing on every node until the blob is restored")
    func damagedBlob() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let files = [image(1), image(2)].map { debugFile(of: $0, blob: "b\($0.bytes[0])") }
            for file in files { _ = try await node.database.add(file) }
            let images = files.map(\.image)
            #expect(try await node.database.missing(among: images, for: .everything) == [])
            try await cluster.run(
                "INSERT INTO blob VALUES ('b\(files[1].image.bytes[0])', 'o', 1, '', true, now())")
            #expect(try await node.database.missing(among: images, for: .everything) == [images[1]])
            try await cluster.run("UPDATE blob SET damaged = false")
            #expect(try await node.database.missing(among: images, for: .everything) == [])
        }
    }

    @Test("a removal that failed between its transactions is completed by the next one")
    func interruptedRemoval() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let images = (1...210 as ClosedRange<UInt8>).map { image($0) }
            for image in images {
                _ = try await node.database.add(
                    debugFile(of: image, kind: StoredDebugFile.systemKind))
            }
            try await node.database.add(
                images,
                ofSystem: SystemBuild(name: "iPhone OS 18.1", build: "22B83", architecture: ""))
            try await cluster.run(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$
                """)
            try await cluster.run(
                """
                CREATE TRIGGER refusal BEFORE DELETE ON debug_file FOR EACH ROW
                WHEN (OLD.image = decode('\(image(210).hex)', 'hex')) EXECUTE FUNCTION refuse()
                """)
            await #expect(throws: StorageError.self) {
                try await node.database.removeSystem(build: "22B83")
            }
            let left = try await node.database.systems().map(\.imageCount)
            #expect(left == [10])
            #expect(try await node.database.debugFiles(DebugFileQuery()).count == 10)
            try await cluster.run("DROP TRIGGER refusal ON debug_file")
            let removed = try await node.database.removeSystem(build: "22B83")
            #expect(removed?.map(\.image) == images.suffix(10))
            #expect(try await node.database.systems().isEmpty)
        }
    }
}

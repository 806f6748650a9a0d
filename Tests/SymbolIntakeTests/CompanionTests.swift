import CallStacks
import DebugFiles
import Foundation
import SymbolStores
import TestSupport
import Testing

@testable import SymbolIntake

/// Debug files that consist of several files: split DWARF, and supplementary files of `dwz`.
@Suite("Companions of debug files", .ownThreads)
struct CompanionTests {
    /// A build whose debug file needs another file.
    struct Build: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let folder: String
        let debugFile: String
        let companion: String
        let image: ImageID
        let offset: ImageOffset
        let whole: [String]
        let poor: [String]

        private static let seeds = (whole: ["seed", "sow"], poor: ["sow"])
        private static let pick = (
            whole: ["add_fruit", "fill_tray", "pick.cold"], poor: ["?", "?", "pick.cold"]
        )

        private static func split(_ version: Int, _ companion: String) -> Self {
            let image = [
                4: "d34d15fa55d343cf8a66c909f046258ba2a765bc",
                5: "f9164269e49d6b62c041375329bd87c93248abe9",
            ]
            return Self(
                testDescription: "DWARF \(version), \(companion)",
                folder: "Symbols/linux-c-split-dwarf\(version)", debugFile: "seeds.debug",
                companion: companion, image: ImageID(image[version]!)!,
                offset: ImageOffset(version == 4 ? 0x1170 : 0x176c), whole: seeds.whole,
                poor: seeds.poor)
        }

        private static func dwz(_ version: Int, _ image: String) -> Self {
            Self(
                testDescription: "DWARF \(version), dwz", folder: "Fixtures/Dwz/dwarf\(version)",
                debugFile: "pick.debug", companion: ".dwz/tray", image: ImageID(image)!,
                offset: ImageOffset(0x1040), whole: pick.whole, poor: pick.poor)
        }

        static let split4 = split(4, "seeds.dwo")
        static let split5 = split(5, "seeds.dwo")
        static let dwz4 = dwz(4, "ae42959359c2993233396b52f044da2752254a1a")
        static let dwz5 = dwz(5, "165e42727066a7d108300821a9e3aef54e537a11")
        static let supplement5 = ImageID("f19d8bd1a91ea050e9769d0614f5ede25f89b4b8")!
        static let all = [
            split4, split(4, "seeds.debug.dwp"), split5, split(5, "seeds.debug.dwp"), dwz4, dwz5,
        ]

        func bytes(_ name: String) throws -> [UInt8] {
            [UInt8](
                try Data(
                    contentsOf: projectFolder.appendingPathComponent("\(folder)/\(name)")))
        }

        func archive(_ names: String...) throws -> [UInt8] {
            var archive = TarBuilder()
            for name in names { archive.add("build/\(name)", try bytes(name)) }
            return archive.bytes()
        }

        func archive() throws -> [UInt8] { try archive(companion, debugFile) }
    }

    private func names(_ build: Build, in intake: Intake) async -> [String] {
        await intake.names(build.image, at: build.offset)
    }

    /// Forgets all indexes, as if their folder were deleted while the service is stopped.
    private func names(
        _ build: Build, rebuiltIn intake: Intake
    ) async throws -> [String] {
        try FileManager.default.removeItem(atPath: intake.storage.folders.indexes)
        try FileManager.default.createDirectory(
            atPath: intake.storage.folders.indexes, withIntermediateDirectories: false)
        intake.symbols.invalidate(build.image)
        return await names(build, in: intake)
    }

    @Test(
        "a debug file is indexed with its companions in the same upload, also from its blob",
        arguments: Build.all)
    func together(build: Build) async throws {
        let intake = try Intake()
        let results = try await intake.upload(try build.archive(), named: "build.tar")
        let result = try #require(results.first { $0.name.hasSuffix(build.debugFile) })
        #expect(result.status == .indexed)
        #expect(result.reason == nil)
        #expect(result.quality == .full)
        let companion = try #require(results.first { $0.name.hasSuffix(build.companion) })
        #expect(companion.status == (build.folder.contains("Dwz") ? .stored : .indexed))
        #expect(await names(build, in: intake) == build.whole)
        #expect(try await names(build, rebuiltIn: intake) == build.whole)
        #expect(!intake.files.contains { $0.hasPrefix("incoming/") })
    }

    @Test("companions that arrive later improve the stored file's index", arguments: Build.all)
    func late(build: Build) async throws {
        let intake = try Intake()
        let first = try await intake.upload(
            try build.bytes(build.debugFile), named: build.debugFile)
        #expect(first.map(\.status) == [.indexed])
        #expect(first.first?.reason?.contains("missing") == true)
        #expect(await names(build, in: intake) == build.poor)
        let late = try await intake.upload(
            try build.bytes(build.companion), named: build.companion)
        #expect(late.map(\.status) != [.rejected])
        #expect(await names(build, in: intake) == build.whole)
        #expect(intake.arrived == [build.image, build.image])
        let files = try await intake.catalogue.debugFiles(of: build.image)
        #expect(files.map(\.quality) == [.full])
        #expect(files.first?.warnings == [])
        #expect(try await names(build, rebuiltIn: intake) == build.whole)
        // The file alone is not better than the file with its companions.
        let again = try await intake.upload(
            try build.bytes(build.debugFile), named: build.debugFile)
        #expect(again.map(\.status) == [.duplicate])
        #expect(await names(build, in: intake) == build.whole)
    }

    @Test("a supplementary file that arrived before is used, if it is the app's or everyone's")
    func earlySupplement() async throws {
        for (owner, isUsed) in [("a", true), (nil, true), ("b", false)] as [(String?, Bool)] {
            let intake = try Intake()
            let build = Build.dwz5
            _ = try await intake.upload(
                try build.bytes(build.companion), named: "tray", of: owner)
            _ = try await intake.upload(
                try build.bytes(build.debugFile), named: "pick.debug", of: "a")
            #expect(await names(build, in: intake) == (isUsed ? build.whole : build.poor))
        }
    }

    @Test("companions of another build are refused, and the debug file says what it lacks")
    func otherBuild() async throws {
        let intake = try Intake()
        let build = Build.split5
        var archive = TarBuilder()
        archive.add("seeds.debug", try build.bytes("seeds.debug"))
        archive.add("seeds.dwo", try Build.split4.bytes("seeds.dwo"))
        archive.add("seeds.dwp", try Build.split4.bytes("seeds.debug.dwp"))
        let results = try await intake.upload(archive.bytes(), named: "build.tar")
        #expect(
            results.filter { $0.image == nil }.map(\.reason)
                == Array(
                    repeating: "no debug file of the same build refers to it: "
                        + "upload it together with the file that refers to it", count: 2))
        #expect(results.filter { $0.image == nil }.allSatisfy { $0.status == .rejected })
        let files = try await intake.catalogue.debugFiles(of: build.image)
        #expect(
            files.first?.warnings.contains(
                "split-dwarf-missing: 'seeds.dwo' is of another build") == true)
        #expect(files.first?.companions == nil)
        #expect(await names(build, in: intake) == build.poor)
    }

    @Test("a supplementary file of another build is stored, and not used")
    func otherSupplement() async throws {
        let intake = try Intake()
        let build = Build.dwz5
        var archive = TarBuilder()
        archive.add("pick.debug", try build.bytes("pick.debug"))
        archive.add(".dwz/tray", try Build.dwz4.bytes(".dwz/tray"))
        let results = try await intake.upload(archive.bytes(), named: "build.tar")
        #expect(results.map(\.status).sorted { $0.rawValue < $1.rawValue } == [.indexed, .stored])
        #expect(await names(build, in: intake) == build.poor)
    }

    @Test("an upload that is repeated is a duplicate, and restores lost companions")
    func repeated() async throws {
        let intake = try Intake()
        let build = Build.split5
        let archive = try build.archive()
        _ = try await intake.upload(archive, named: "build.tar")
        let files = intake.files
        let again = try await intake.upload(archive, named: "build.tar")
        #expect(again.map(\.status) == [.duplicate, .duplicate])
        #expect(intake.files == files)
        let stored = try #require(try await intake.catalogue.debugFiles(of: build.image).first)
        try await intake.storage.blobs.remove(try #require(stored.companions).blob)
        #expect(try await names(build, rebuiltIn: intake) == build.poor)
        _ = try await intake.upload(archive, named: "build.tar")
        #expect(await names(build, in: intake) == build.whole)
        #expect(intake.files == files)
    }

    @Test(
        "a lost debug file that is uploaded again alone keeps its companions", arguments: Build.all)
    func restored(build: Build) async throws {
        let intake = try Intake()
        _ = try await intake.upload(try build.archive(), named: "build.tar")
        let stored = try #require(try await intake.catalogue.debugFiles(of: build.image).first)
        try await intake.storage.blobs.remove(stored.blob)
        #expect(try await names(build, rebuiltIn: intake) != build.whole)
        _ = try await intake.upload(try build.bytes(build.debugFile), named: build.debugFile)
        #expect(try await names(build, rebuiltIn: intake) == build.whole)
        let restored = try await intake.catalogue.debugFiles(of: build.image).first
        #expect(restored?.blob == stored.blob)
        #expect(restored?.quality == .full)
    }

    @Test("a debug file and its supplementary file may be uploaded at the same moment")
    func simultaneous() async throws {
        let build = Build.dwz5
        let (file, tray) = (try build.bytes(build.debugFile), try build.bytes(build.companion))
        for _ in 0..<5 {
            let intake = try Intake()
            async let first = intake.upload(file, named: build.debugFile)
            async let second = intake.upload(tray, named: "tray")
            _ = try await (first, second)
            #expect(await names(build, in: intake) == build.whole)
        }
    }

    @Test("companions are removed with the last file that needs them", arguments: Build.all)
    func removal(build: Build) async throws {
        let intake = try Intake()
        for app in ["a", "b"] {
            _ = try await intake.upload(try build.archive(), named: "build.tar", of: app)
        }
        _ = try await intake.removal.remove(build.image, of: .app("a"))
        try await intake.upkeep.removeOrphans()
        #expect(try await names(build, rebuiltIn: intake) == build.whole)
        _ = try await intake.removal.remove(build.image)
        if build.folder.contains("Dwz") {
            let id = try #require(try await intake.catalogue.debugFiles(DebugFileQuery()).first)
            _ = try await intake.removal.remove(id.image)
        }
        #expect(intake.files.filter { $0.hasPrefix("blobs/") || $0.hasPrefix("indexes/") } == [])
    }

    @Test("retention keeps a supplementary file as long as a debug file that needs it is used")
    func retention() async throws {
        let intake = try Intake { $0.retention.ageSeconds = 3_600 }
        let build = Build.dwz5
        _ = try await intake.upload(try build.archive(), named: "build.tar")
        _ = await names(build, in: intake)
        let start = intake.storage.now
        try await intake.symbols.recordUses()
        let supplement = try await intake.catalogue.debugFiles(of: Build.supplement5).first
        #expect(try #require(supplement).lastUse >= start)
        #expect(
            try await intake.upkeep.applyRetention(now: start.advanced(seconds: 7_200)) == 2)
        #expect(intake.files.filter { $0.hasPrefix("blobs/") } == [])
    }

    @Test("a late companion replaces the indexes of all nodes", arguments: [Build.split5, .dwz5])
    func nodes(build: Build) async throws {
        let intake = try Intake(sharedIndexes: MemoryIndexes())
        _ = try await intake.upload(try build.bytes(build.debugFile), named: build.debugFile)
        let other = try intake.otherNode { $0.executable = "/bin/false" }
        #expect(await other.names(build.image, at: build.offset) == build.poor)
        _ = try await intake.upload(try build.bytes(build.companion), named: build.companion)
        try await other.symbols.reflectChanges()
        #expect(await other.names(build.image, at: build.offset) == build.whole)
    }

    @Test("a bundle of companions has the same bytes each time, and is read back")
    func bundle() throws {
        let folder = try TestFolder()
        try folder.write([1, 2, 3], to: "one")
        try folder.write([], to: "two")
        let files = [
            CompanionFiles.File(
                path: folder.path("one"), name: "a/one.dwo", kind: .splitUnits(.object)),
            CompanionFiles.File(
                path: folder.path("two"), name: "two", kind: .supplement(identity(1))),
        ]
        let first = try CompanionBundle.write(files, to: folder.path("first"))
        let second = try CompanionBundle.write(files, to: folder.path("second"))
        #expect(first == second)
        _ = try IndexingJob.inflate(folder.path("first"), to: folder.path("bundle"))
        try FileManager.default.createDirectory(
            atPath: folder.path("unpacked"), withIntermediateDirectories: false)
        let found = try CompanionBundle.unpack(
            folder.path("bundle"), into: folder.path("unpacked"))
        #expect(found.map(\.name) == ["a/one.dwo", "two"])
        #expect(found.map(\.kind) == files.map(\.kind))
        #expect(
            try found.map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0.path))) }
                == [[1, 2, 3], []])
        #expect(throws: (any Error).self) {
            try CompanionBundle.unpack(folder.path("one"), into: folder.path("unpacked"))
        }
    }
}

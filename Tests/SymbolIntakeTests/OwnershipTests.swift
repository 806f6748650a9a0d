import CallStacks
import DebugFiles
import Foundation
import SymbolIndexes
import Symbolication
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Ownership of debug files", .ownThreads)
struct OwnershipTests {
    /// Returns the functions in the file of ``library(_:function:)`` that is used for each access.
    private func names(
        _ intake: Intake, _ accesses: DebugFileAccess..., of number: UInt8 = 1
    ) async -> [String] {
        var names: [String] = []
        for access in accesses { names += await intake.names(identity(number), for: access) }
        return names
    }

    @Test("another app's file of the same image is stored too, and an app's own is preferred")
    func beside() async throws {
        let intake = try Intake()
        let own = try await intake.upload(library(1, function: "own"), of: "a")
        let other = try await intake.upload(library(1, function: "bad"), of: "b")
        #expect((own + other).map(\.status) == [.stored, .stored])
        #expect(
            await names(intake, .only("a"), .only("b"), .only("c"))
                == ["own", "bad", "missing_image"])
        #expect(
            await names(
                intake, .everything, .everything(preferring: "a"), .everything(preferring: "b"))
                == ["own", "own", "bad"])
    }

    @Test("a better file replaces its owner's file, and not another app's")
    func betterFileOfAnotherApp() async throws {
        let intake = try Intake()
        _ = try await intake.upload(Orchard.strippedKit, of: "a")
        _ = try await intake.upload(Orchard.kitDSYM, of: "b")
        func answer(_ app: String) async -> [String] {
            await intake.names(Orchard.kit, at: Orchard.inlinedOffset, for: .only(app))
        }
        #expect(await answer("a") != ["hash_weight", "hash_row"])
        #expect(await answer("b") == ["hash_weight", "hash_row"])
        #expect(try await intake.upload(Orchard.kitDSYM, of: "a").map(\.status) == [.indexed])
        #expect(await answer("a") == ["hash_weight", "hash_row"])
        #expect(intake.catalogue.files.count == 2)
        // Both own the same bytes now, stored once.
        #expect(intake.files.count == 2)
    }

    @Test("a file of everyone is used for every app without its own file")
    func everyone() async throws {
        let intake = try Intake()
        _ = try await intake.upload(library(1, function: "shared"))
        #expect(await names(intake, .only("a"), .everything) == ["shared", "shared"])
        _ = try await intake.upload(library(1, function: "own"), of: "a")
        #expect(await names(intake, .only("a"), .only("b")) == ["own", "shared"])
    }

    @Test("apps that upload the same bytes both own them, and the last removal deletes them")
    func sameBytes() async throws {
        let intake = try Intake()
        for app in ["a", "b"] {
            #expect(try await intake.upload(library(1), of: app).map(\.status) == [.stored])
            #expect(try await intake.upload(library(1), of: app).map(\.status) == [.duplicate])
        }
        #expect(intake.arrived == [identity(1), identity(1)])
        #expect(intake.files.count == 2)
        #expect(try await intake.removal.remove(identity(1), of: .app("a")).count == 1)
        #expect(try await intake.removal.remove(identity(1), of: .app("a")).isEmpty)
        #expect(await names(intake, .only("a"), .only("b")) == ["missing_image", "f"])
        #expect(intake.files.count == 2)
        #expect(try await intake.removal.remove(identity(1), of: .app("b")).count == 1)
        #expect(intake.files == [])
    }

    @Test("an owner can replace only its own file by one that is not better")
    func replacement() async throws {
        let intake = try Intake()
        _ = try await intake.upload(library(1, function: "first"), of: "a")
        // As long as the first name, because a file with longer names has a higher quality.
        let second = library(1, function: "other")
        #expect(try await intake.upload(second, of: "a").map(\.status) == [.duplicate])
        #expect(await names(intake, .only("a")) == ["first"])
        let replaced = try await intake.upload(second, of: "a", replacing: true)
        #expect(replaced.map(\.status) == [.stored])
        #expect(await names(intake, .only("a")) == ["other"])
        #expect(intake.files.count == 2, "the replaced file is removed")
        let forged = try await intake.upload(
            library(1, function: "forged"), of: "b", replacing: true)
        #expect(forged.map(\.status) == [.stored])
        #expect(await names(intake, .only("a"), .only("b")) == ["other", "forged"])
        let again = try await intake.upload(second, of: "a", replacing: true)
        #expect(again.map(\.status) == [.duplicate])
    }

    @Test("a replacing bundle stores its best file of each image")
    func replacingBundle() async throws {
        let intake = try Intake()
        _ = try await intake.upload(Orchard.strippedKit, of: "a")
        for _ in 0..<2 {
            let copy = intake.storage.folders.newIncomingPath()
            try FileManager.default.copyItem(
                atPath: projectFolder.appendingPathComponent(Orchard.symbols).path, toPath: copy)
            _ = try await intake.bundles.process(
                fileAt: copy, named: "bundle",
                options: UploadOptions(owner: .app("a"), replaces: true))
            #expect(
                await intake.names(Orchard.kit, at: Orchard.inlinedOffset, for: .only("a"))
                    == ["hash_weight", "hash_row"])
        }
    }

    @Test("removing a build removes its own app's files, which another app's build does not retain")
    func removedBuild() async throws {
        let intake = try Intake()
        let builds = ["a", "b"].map { Build(app: $0, version: "1", build: "1") }
        for build in builds { _ = try await intake.upload(library(1), build: build) }
        _ = try await intake.upload(library(2))
        try await intake.bundles.record([identity(2)], in: builds[0])
        #expect(try await intake.removal.remove(builds[0])?.map(\.owner) == [.app("a")])
        #expect(await names(intake, .only("a"), .only("b")) == ["missing_image", "f"])
        #expect(await names(intake, .only("a"), of: 2) == ["f"])
    }

    @Test("a build that lists another app's image reveals nothing about it, not even its name")
    func claim() async throws {
        let intake = try Intake()
        _ = try await intake.upload(library(1), named: "secret", of: "a")
        _ = try await intake.upload(library(1), named: "mine", of: "b")
        let build = Build(app: "b", version: "1", build: "1")
        try await intake.bundles.record([identity(1)], in: build)
        let images = try await intake.catalogue.builds(app: nil).flatMap(\.images)
        #expect(images.map(\.image.name) == ["mine"])
    }

    @Test("an app's builds decide which images are in-app")
    func appImages() async throws {
        let intake = try Intake()
        for (number, app) in [(1, "a"), (2, "b")] as [(UInt8, String)] {
            _ = try await intake.upload(
                library(number), build: Build(app: app, version: "1", build: "1"))
        }
        let symbols = intake.symbols
        #expect(symbols.appImages(for: .only("a")) == [identity(1)])
        #expect(symbols.appImages(for: .only("c")) == [])
        #expect(symbols.appImages(for: .everything(preferring: "b")) == [identity(2)])
        #expect(
            symbols.appImages(for: .everything(preferring: "c"))
                == [identity(1), identity(2)])
        try await symbols.readAppImages()
        #expect(symbols.appImages(for: .only("a")) == [identity(1)])
    }

    @Test("retention removes the file of one owner, and the bytes stay for the other")
    func retention() async throws {
        let intake = try Intake { $0.retention = SymbolRetention(bytes: 0) }
        let limited = try Intake { $0.retention = SymbolRetention(ageSeconds: 60) }
        for intake in [intake, limited] {
            for app in ["a", "b"] { _ = try await intake.upload(library(1), of: app) }
            _ = try await intake.upload(library(1, function: "shared"))
        }
        #expect(try await intake.upkeep.applyRetention(now: .now()) == 3)
        #expect(intake.files == [])
        limited.catalogue.change(identity(1)) {
            guard $0.owner != .app("b") else { return }
            $0.upload = UnixTime(rawValue: 0)
            $0.lastUse = UnixTime(rawValue: 0)
        }
        #expect(try await limited.upkeep.applyRetention(now: .now()) == 2)
        #expect(limited.files.count == 2)
        #expect(await names(limited, .only("a"), .only("b")) == ["missing_image", "f"])
    }

    @Test("indexes named without the file are removed, and rebuilt on demand")
    func earlierNames() async throws {
        let intake = try Intake()
        _ = try await intake.upload(library(1))
        let index = URL(fileURLWithPath: try intake.soleFile(in: "indexes"))
        let earlier = index.deletingLastPathComponent()
            .appendingPathComponent("\(identity(1).hex)-x86_64.symidx")
        try FileManager.default.moveItem(at: index, to: earlier)
        let later = StoredSymbolIndexes(intake.storage)
        try await StorageMaintenance(intake.storage, symbols: later).removeOrphans()
        #expect(!intake.files.contains { $0.hasPrefix("indexes/") })
        guard case .found = await later.symbols(for: identity(1)) else {
            Issue.record("the index is not rebuilt")
            return
        }
    }

    @Test("among several files the owner decides before the quality, and then the first upload")
    func order() {
        func file(
            _ owner: SymbolOwner, _ quality: Int, blob: String, upload: Int64 = 1
        ) -> StoredDebugFile {
            StoredDebugFile(
                owner: owner, image: identity(1), architecture: "arm64", name: "f", kind: "dsym",
                quality: .init(rawValue: quality)!, blob: blob, byteCount: 1, storedByteCount: 1,
                upload: UnixTime(rawValue: upload))
        }
        let files = [
            file(.app("b"), 4, blob: "late", upload: 2), file(.app("c"), 4, blob: "early"),
            file(.app("a"), 1, blob: "own"), file(.everyone, 2, blob: "shared"),
        ]
        func choice(_ access: DebugFileAccess, _ files: some Sequence<StoredDebugFile>) -> String? {
            access.choice(among: Array(files))?.blob
        }
        for files in [files, files.reversed()] {
            #expect(choice(.only("a"), files) == "own")
            #expect(choice(.only("d"), files) == "shared")
            #expect(choice(.everything(preferring: "a"), files) == "own")
            #expect(choice(.everything(preferring: "d"), files) == "shared")
            #expect(choice(.everything, files) == "shared")
            let foreign = files.filter { $0.owner != .everyone }
            #expect(choice(.only("d"), foreign) == nil)
            #expect(choice(.everything(preferring: "d"), foreign) == "early")
        }
    }
}

import CallStacks
import Foundation
import Glibc
import Problems
import SymbolIndexes
import Symbolication
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Stored symbols", .ownThreads)
struct StoredSymbolIndexesTests {
    @Test("that an image has no file is remembered until one is stored")
    func missing() async throws {
        let intake = try Intake()
        #expect(intake.symbols.cachedSymbols(for: identity(1)) == nil)
        #expect(await intake.names(identity(1)) == ["missing_image"])
        guard case .missing? = intake.symbols.cachedSymbols(for: identity(1)) else {
            Issue.record("the missing file is not remembered")
            return
        }
        _ = try await intake.upload(library(1), named: "libkit.so.debug")
        #expect(await intake.names(identity(1)) == ["f"])
        #expect(
            intake.symbols.provider(for: .everything).imageName(of: identity(1)) == "libkit.so")
        guard case .found? = intake.symbols.cachedSymbols(for: identity(1)) else {
            Issue.record("the new file is not available at once")
            return
        }
    }

    @Test(
        "an index that is missing, truncated, empty or of another file is rebuilt from the blob",
        arguments: ["gone", "cut", "empty", "other", "found"])
    func rebuilt(damage: String) async throws {
        let intake = try Intake()
        _ = try await intake.upload(Orchard.kitDSYM)
        let index = URL(fileURLWithPath: try intake.soleFile(in: "indexes"))
        let whole = try Data(contentsOf: index)
        switch damage {
        case "gone": try FileManager.default.removeItem(at: index)
        case "cut": try whole.dropLast().write(to: index, options: .atomic)
        case "empty": try Data().write(to: index, options: .atomic)
        case "other":
            _ = try await intake.upload(library(1))
            let other = try #require(
                intake.catalogue.files.first { $0.image == identity(1) })
            let path = intake.storage.indexes.path(of: other.key)
            try Data(contentsOf: URL(fileURLWithPath: path)).write(to: index, options: .atomic)
        default:
            let found = "Tests/Fuzz/Found/index/block-start-descends"
            try Data(contentsOf: projectFolder.appendingPathComponent(found)).write(
                to: index, options: .atomic)
        }
        let later = StoredSymbolIndexes(intake.storage)
        var lookup = OffsetLookup(provider: later.provider(for: .everything))
        let answer = await lookup.result(for: Orchard.kit, at: Orchard.inlinedOffset)
        #expect(answer.status == .symbolicated)
        #expect(lookup.frames(of: answer).map(\.function) == ["hash_weight", "hash_row"])
        #expect(try Data(contentsOf: index) == whole)
        #expect(!intake.files.contains { $0.hasPrefix("incoming/") })
    }

    @Test("an index that a lookup finds damaged is rebuilt, but only once")
    func damagedInside() async throws {
        let intake = try Intake()
        let folder = intake.folder.path
        let counting = try intake.wrapper("case \"$2\" in index) echo >> '\(folder)/count';; esac")
        _ = try await intake.upload(Orchard.kitDSYM)
        let index = URL(fileURLWithPath: try intake.soleFile(in: "indexes"))
        let whole = try Data(contentsOf: index)
        var damaged = whole
        damaged.replaceSubrange(
            300..., with: [UInt8](repeating: 0xff, count: whole.count - 300))
        try damaged.write(to: index, options: .atomic)
        let symbols = StoredSymbolIndexes(try intake.storage(running: counting))
        for _ in 0..<3 {
            var lookup = OffsetLookup(provider: symbols.provider(for: .everything))
            let answer = await lookup.result(for: Orchard.kit, at: Orchard.inlinedOffset)
            #expect(lookup.frames(of: answer).map(\.function) == ["hash_weight", "hash_row"])
        }
        // A lookup that still has the damaged index reports it late.
        _ = await symbols.symbols(replacingDamagedIndexOf: Orchard.kit)
        #expect(try Data(contentsOf: index) == whole)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/count")).count == 1)
    }

    @Test("concurrent requests for an image wait for one rebuild of its index")
    func atOnce() async throws {
        let intake = try Intake()
        let folder = intake.folder.path
        let counting = try intake.wrapper("case \"$2\" in index) echo >> '\(folder)/count';; esac")
        _ = try await intake.upload(library(1))
        try FileManager.default.removeItem(atPath: intake.soleFile(in: "indexes"))
        let symbols = StoredSymbolIndexes(try intake.storage(running: counting))
        let found = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    if case .found = await symbols.symbols(for: identity(1)) { true } else { false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(found == 16)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/count")).count == 1)
    }

    @Test("an index of a file that is replaced during the rebuild is not served")
    func replacedMeanwhile() async throws {
        let intake = try Intake()
        let fifo = intake.folder.appendingPathComponent("fifo").path
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        _ = try await intake.upload(Orchard.strippedKit)
        try FileManager.default.removeItem(atPath: intake.soleFile(in: "indexes"))
        // The first worker waits until the better file is stored.
        let waiting = try intake.wrapper(
            "case \"$2\" in index) if [ -p '\(fifo)' ]; then cat '\(fifo)'; rm '\(fifo)'; fi;; esac"
        )
        let symbols = StoredSymbolIndexes(try intake.storage(running: waiting))
        let opening = Task { await symbols.symbols(for: Orchard.kit) }
        let writer = unsafe open(fifo, O_WRONLY)
        try #require(writer >= 0)
        #expect(try await intake.upload(Orchard.kitDSYM).map(\.status) == [.indexed])
        close(writer)
        guard case .found(let index) = await opening.value else {
            Issue.record("no symbols are found")
            return
        }
        #expect(index.hasLines)
    }

    @Test("an index whose blob is missing or corrupt is corrupt, until the file is uploaded again")
    func lostBlob() async throws {
        for isGone in [true, false] {
            let intake = try Intake()
            _ = try await intake.upload(library(1))
            let blob = try intake.soleFile(in: "blobs")
            try FileManager.default.removeItem(atPath: intake.soleFile(in: "indexes"))
            try FileManager.default.removeItem(atPath: blob)
            if !isGone { try Data(library(2)).write(to: URL(fileURLWithPath: blob)) }
            intake.symbols.invalidate(identity(1))
            #expect(await intake.names(identity(1)) == ["corrupt_index"])
            let known: Set = [identity(1), identity(2)]
            #expect(await intake.symbols.unusable(among: known, for: .everything) == [identity(1)])
            let changes = intake.catalogue.changes.count
            #expect(try await intake.upload(library(1)).map(\.status) == [.stored])
            #expect(await intake.names(identity(1)) == ["f"])
            #expect(await intake.symbols.unusable(among: known, for: .everything).isEmpty)
            #expect(
                intake.catalogue.changes.count == changes + 1, "so that diagnostics are sent again")
            try FileManager.default.removeItem(atPath: intake.soleFile(in: "indexes"))
            let later = StoredSymbolIndexes(intake.storage)
            guard case .found = await later.symbols(for: identity(1), access: .everything) else {
                Issue.record("the blob was not repaired")
                return
            }
        }
    }

    @Test("uploading a file with several slices again repairs its blob for all of them")
    func lostBlobOfSlices() async throws {
        let intake = try Intake()
        let slices = [Orchard.universalArm, Orchard.universalX86]
        _ = try await intake.upload(Orchard.universal)
        for index in intake.files where index.hasPrefix("indexes/") {
            try FileManager.default.removeItem(atPath: "\(intake.storage.folders.path)/\(index)")
        }
        try Data("garbage".utf8).write(to: URL(fileURLWithPath: intake.soleFile(in: "blobs")))
        for slice in slices {
            intake.symbols.invalidate(slice)
            #expect(await intake.names(slice) == ["corrupt_index"])
        }
        #expect(try await intake.upload(Orchard.universal).map(\.status) == [.indexed, .indexed])
        let later = StoredSymbolIndexes(intake.storage)
        for slice in slices {
            try intake.storage.indexes.remove(
                try #require(intake.catalogue.files.first { $0.image == slice }).key)
            guard case .found = await later.symbols(for: slice, access: .everything) else {
                Issue.record("the blob was not repaired for \(slice)")
                continue
            }
        }
    }

    @Test("diagnostics that missed an image while the catalogue failed are sent again")
    func unread() async throws {
        let intake = try Intake()
        _ = try await intake.upload(library(1))
        intake.symbols.invalidate(identity(1))
        intake.catalogue.readError = StorageError(Problem("database", detail: "is away"))
        for image in [identity(1), identity(2)] {
            #expect(await intake.names(image) == ["corrupt_index"])
        }
        await intake.symbols.readUnread()
        #expect(intake.catalogue.changes == [identity(1)])
        intake.catalogue.readError = nil
        #expect(await intake.names(identity(1)) == ["f"])
        // Only the first image has a file.
        for _ in 1...2 { await intake.symbols.readUnread() }
        #expect(intake.catalogue.changes == [identity(1), identity(1)])
    }

    @Test("open indexes are bounded by bytes, and a closed one is opened again")
    func bounded() async throws {
        let limit = 3 * IndexCache.smallestCost
        let intake = try Intake { $0.mappedBytes = limit }
        for number in 1...6 { _ = try await intake.upload(library(UInt8(number))) }
        for _ in 0..<2 {
            for number in 1...6 {
                #expect(await intake.names(identity(UInt8(number))) == ["f"])
                #expect(intake.symbols.mappedBytes <= limit)
                #expect(intake.symbols.openCount >= 1)
            }
        }
    }

    @Test("an index larger than the bound is used and not kept open")
    func tooLarge() async throws {
        let intake = try Intake { $0.mappedBytes = 1 }
        _ = try await intake.upload(library(1))
        #expect(await intake.names(identity(1)) == ["f"])
        #expect(intake.symbols.mappedBytes == 0)
    }

    @Test("indexes work after their pages are released")
    func pages() async throws {
        let intake = try Intake { $0.residentBytes = 0 }
        _ = try await intake.upload(Orchard.kitDSYM)
        for _ in 0..<2 {
            #expect(
                await intake.names(Orchard.kit, at: Orchard.inlinedOffset)
                    == ["hash_weight", "hash_row"])
            intake.symbols.releasePages()
        }
    }

    @Test("uses are recorded in the catalogue together, and once")
    func uses() async throws {
        let intake = try Intake { $0.mappedBytes = IndexCache.smallestCost }
        for number in 1...2 { _ = try await intake.upload(library(UInt8(number))) }
        for number in [1, 1, 2, 3] { _ = await intake.names(identity(UInt8(number))) }
        try await intake.symbols.recordUses()
        #expect(
            intake.catalogue.notedUses.map { Set($0.map(\.image)) } == [[identity(1), identity(2)]])
        try await intake.symbols.recordUses()
        #expect(intake.catalogue.notedUses.count == 1)
    }

    @Test("an index whose opening began before a newer file was stored is not cached")
    func invalidatedOpening() {
        var cache = IndexCache(bytesLimit: 1 << 20)
        let file = DebugFileKey(image: identity(1), architecture: "arm64", blob: "a1")
        var number: UInt64 = 0
        for isForgotten in [true, false] {
            _ = cache.opening(of: file) { given in
                number = given
                return Task { .corrupt }
            }
            if isForgotten { cache.forget([identity(1)]) }
            cache.finish(number, of: file, .unusable)
            #expect((cache.supply(for: file) == nil) == isForgotten)
        }
    }

    @Test("a listing read before a newer file was stored is not cached")
    func invalidatedListing() {
        var listings = CatalogueCache()
        var number: UInt64 = 0
        for isForgotten in [true, false] {
            _ = listings.reading(of: identity(1)) { given in
                number = given
                return Task { [] }
            }
            if isForgotten { listings.forget(identity(1)) }
            listings.finish(number, of: identity(1), [])
            #expect((listings.files(of: identity(1)) == nil) == isForgotten)
        }
    }

    @Test("images without files are remembered up to a limit")
    func missingLimit() {
        var listings = CatalogueCache()
        for number in 0...UInt32(CatalogueCache.imageLimit) {
            let image = ImageID("\(String(number, radix: 16).padding(8))ff")!
            var token: UInt64 = 0
            _ = listings.reading(of: image) { given in
                token = given
                return Task { [] }
            }
            listings.finish(token, of: image, [])
        }
        #expect(listings.files(of: ImageID("00000000ff")!) == nil)
        let last = String(UInt32(CatalogueCache.imageLimit), radix: 16).padding(8)
        #expect(listings.files(of: ImageID("\(last)ff")!) != nil)
    }
}

extension String {
    fileprivate func padding(_ count: Int) -> String {
        String(repeating: "0", count: Swift.max(0, count - self.count)) + self
    }
}

import ByteReading
import CallStacks
import DebugFiles
import SymbolIndexes
import SymbolStores
import TestSupport
import Testing

@testable import SymbolIntake

/// A complete file is preferred to a damaged copy of it, in either order of upload.
@Suite("Damaged uploads", .ownThreads)
struct DamagedUploadTests {
    static let files = [
        Orchard.kitDSYM,
        "Symbols/orchard-1.4.0-arm64-release-dwarf5/OrchardKit.framework.dSYM"
            + "/Contents/Resources/DWARF/OrchardKit",
        "Symbols/linux-cpp-gcc-dwarf4/press.debug", "Symbols/linux-cpp-clang-dwarf5/press.debug",
    ]

    @Test("with half of the units zeroed, a file is not full and the complete one replaces it")
    func halfOfUnits() async throws {
        for part in [0.5...1.0, 0.0...0.5, 0.3...0.7] {
            let file = try DamageableFile(Orchard.kitDSYM)
            let damaged = file.zeroed("debug_info", part)
            let intake = try Intake()
            let first = try #require(try await intake.upload(damaged).first)
            #expect(first.status == .indexed || first.status == .stored)
            #expect(first.quality != .full)
            #expect(first.reason?.contains("units were not read") == true, "\(first)")
            #expect(intake.catalogue.files.first?.warnings.first == first.reason)
            let missing = try await intake.catalogue.missing(
                among: [Orchard.kit], for: .everything)
            #expect(missing == [Orchard.kit])
            let second = try #require(try await intake.upload(file.bytes).first)
            #expect(second.status == .indexed)
            #expect(second.quality == .full)
            #expect(second.reason == nil)
            #expect(intake.arrived == [Orchard.kit, Orchard.kit])
            let third = try #require(try await intake.upload(damaged).first)
            #expect(third.status == .duplicate)
            #expect(intake.catalogue.files.first?.quality == .full)
            #expect(
                await intake.names(Orchard.kit, at: Orchard.inlinedOffset)
                    == ["hash_weight", "hash_row"])
        }
    }

    @Test("zeroed or truncated sections never beat the complete file", arguments: files)
    func zeros(path: String) async throws {
        let file = try DamageableFile(path)
        let good = try #require(await Built(file.bytes))
        try #require(file.sections.count > 3)
        for section in file.sections {
            for part in [0.0...1.0, 0.5...1.0, 0.0...0.5, 0.25...0.5] {
                await expectGood(good, file.zeroed(section.name, part), "\(section.name) \(part)")
            }
            let middle = (section.range.lowerBound + section.range.upperBound) / 2
            await expectGood(good, Array(file.bytes[..<middle]), "up to \(middle)")
        }
    }

    private func expectGood(_ good: Built, _ bytes: [UInt8], _ what: String) async {
        guard let damaged = await Built(bytes), damaged.answers != good.answers else { return }
        #expect(good.row.isBetter(than: damaged.row), "\(what)")
        #expect(!damaged.row.isBetter(than: good.row), "\(what)")
    }

    @Test(
        "with flipped bits, a file with unread units never wins, in any order",
        arguments: files)
    func flips(path: String) async throws {
        let file = try DamageableFile(path)
        let good = try #require(await Built(file.bytes))
        var numbers = SplitMix64(seed: 7)
        for section in file.sections {
            for _ in 0..<12 {
                var bytes = file.bytes
                for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                    let place = Int.random(in: section.range, using: &numbers)
                    bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &numbers)
                }
                guard let damaged = await Built(bytes) else { continue }
                let wins = (
                    good.row.isBetter(than: damaged.row), damaged.row.isBetter(than: good.row)
                )
                #expect(wins != (true, true))
                if (damaged.row.completeness?.unitsUnread ?? 0) > 0 {
                    #expect(wins == (true, false), "\(section.name)")
                    #expect(damaged.row.quality < .full)
                }
            }
        }
    }

    @Test("a complete file replaces one of its quality that an earlier version stored")
    func unknownCompleteness() async throws {
        let file = try DamageableFile(Orchard.kitDSYM)
        let damaged = try #require(await Built(file.zeroed("debug_info", 0.5...1.0)))
        let good = try #require(await Built(file.bytes))
        var old = good.row
        old.completeness = nil
        #expect(good.row.isBetter(than: old))
        #expect(!damaged.row.isBetter(than: old))
        #expect(!old.isBetter(than: good.row))
    }

    @Test("a program replaces the debug file copied from it, in any order of uploads")
    func codeOfDebugFile() async throws {
        let file = try DamageableFile("Symbols/linux-cpp-gcc-dwarf4/press.debug")
        var debug = try #require(await Built(file.bytes)).row
        debug.kind = DebugFileKind.elfDebug.rawValue
        var program = debug
        program.kind = DebugFileKind.elfExecutable.rawValue
        #expect(program.isBetter(than: debug))
        #expect(!debug.isBetter(than: program))
        // Clients that request debug information get a debug file without lines, but not a program.
        debug.quality = .symbols
        program.quality = .symbols
        #expect(!program.isBetter(than: debug))
    }
}

/// The catalogue row of an uploaded file, and the dump of its index.
private struct Built {
    let row: StoredDebugFile
    let answers: Substring

    /// The result for a file, or `nil` if it is rejected.
    init?(_ bytes: [UInt8]) async {
        do {
            let slices = try DebugFile.slices(of: FileBytes(bytes), name: "file")
            guard let slice = slices.files.first, let image = slice.id else { return nil }
            let built = try await BuiltIndex(of: slice, name: "file", threads: 1)
            let index = try SymbolIndex(FileBytes(built.bytes))
            row = StoredDebugFile(
                image: image, architecture: slice.architecture.name, name: "file", kind: "elf",
                quality: built.summary.quality,
                completeness: try Completeness(built.summary, index: index), blob: "",
                byteCount: Int64(bytes.count), storedByteCount: 0, upload: .now())
            answers = try index.dump().split(separator: "\n\n", maxSplits: 1).last ?? ""
        } catch { return nil }
    }
}

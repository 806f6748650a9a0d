import CallStacks
import Foundation
import Problems
import Symbolication
import TestSupport
import Testing

@testable import SymbolStores

@Suite("Local symbols")
struct LocalSymbolProviderTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func symbols(_ name: String = "symbols", cached: Bool = false) -> LocalSymbolProvider {
        LocalSymbolProvider(
            SymbolInventory(paths: [folder.path(name)]),
            cachedIn: cached ? IndexFolder(path: folder.path("cache")) : nil)
    }

    private static let kit = ImageID("4C4C44E3-5555-3144-A103-3964DAADDC31")!
    private static let kitOffset = ImageOffset(0x4170)

    private static func kitFile(_ path: String) throws -> [UInt8] {
        let symbols = projectFolder.appendingPathComponent(
            "Symbols/orchard-1.4.0-arm64-release-dwarf4")
        return [UInt8](try Data(contentsOf: symbols.appendingPathComponent(path)))
    }

    private static func dSYM() throws -> [UInt8] {
        try kitFile("OrchardKit.framework.dSYM/Contents/Resources/DWARF/OrchardKit")
    }

    private static func stripped() throws -> [UInt8] {
        try kitFile("Orchard.app/Frameworks/OrchardKit.framework/OrchardKit")
    }

    @Test("an image that no file describes is missing, with a next step")
    func missing() async throws {
        try folder.write(library(1), to: "symbols/x")
        let symbols = symbols()
        #expect(await symbols.names(identity(2)) == ["missing_image"])
        #expect(
            await symbols.problem(of: identity(2))?.problem.suggestion
                == "add its dSYM or debug file with --symbols")
        #expect(await symbols.names(identity(1)) == ["f"])
        #expect(await symbols.problem(of: identity(1)) == nil)
        #expect(symbols.name(of: identity(1)) == "x")
        try folder.write(library(3), to: "symbols/y.debug")
        #expect(self.symbols().imageName(of: identity(3)) == "y")
    }

    @Test("of a stripped image and its dSYM, the dSYM is used, in whatever order they are found")
    func debugInformationWins() async throws {
        for (first, second) in [("a", "b"), ("b", "a")] {
            let name = "symbols \(first)"
            try folder.write(try Self.dSYM(), to: "\(name)/\(first)")
            try folder.write(try Self.stripped(), to: "\(name)/\(second)")
            let names = await symbols(name).names(Self.kit, at: Self.kitOffset)
            #expect(names == ["hash_weight", "hash_row"])
        }
    }

    /// The dSYM with its first unit damaged, larger than the intact one.
    private static func damaged() throws -> [UInt8] {
        var bytes = try dSYM()
        let name = Array("__debug_info".utf8)
        let place = try #require(
            bytes.indices.first { bytes[$0...].starts(with: name) }, "no section header")
        // The file offset of the section, 48 bytes after its name; then the unit's version.
        let offset = (0..<4).reduce(0) { $0 | Int(bytes[place + 48 + $1]) << (8 * $1) }
        bytes[offset + 4] = 0xff
        return bytes + [UInt8](repeating: 0, count: 4096)
    }

    @Test("of two files with debug information, the complete one is used")
    func wholeWins() async throws {
        try folder.write(try Self.damaged(), to: "damaged/a")
        try folder.write(try Self.damaged(), to: "symbols/a")
        try folder.write(try Self.dSYM(), to: "symbols/b")
        let first = ImageOffset(0x4000)
        #expect(await symbols("damaged").status(Self.kit, at: first) == .symbolOnly)
        #expect(await symbols().status(Self.kit, at: first) == .symbolicated)
    }

    @Test("if the best file cannot be read, another one is used")
    func fallback() async throws {
        let large = try folder.write(
            library(1, function: String(repeating: "f", count: 500)), to: "symbols/a")
        try folder.write(library(1), to: "symbols/b")
        let symbols = symbols()
        try FileManager.default.removeItem(atPath: large)
        #expect(await symbols.names(identity(1)) == ["f"])
    }

    @Test("if no file can be read, the image is corrupt, with the reason")
    func corrupt() async throws {
        let file = try folder.write(library(1), to: "symbols/a")
        let symbols = symbols()
        try Data(library(2)).write(to: URL(fileURLWithPath: file))
        #expect(await symbols.names(identity(1)) == ["corrupt_index"])
        #expect(
            await symbols.problem(of: identity(1))?.description
                == "\(file): changed while it was read: try again")
    }

    @Test("no more files of one identity are opened than the limit")
    func rivalLimit() async throws {
        let limit = IndexSource.rivalLimit
        for number in 0...limit {
            // Smaller files are tried later; only the smallest has two functions.
            let name = String(repeating: "f", count: 2000 - 100 * number)
            var file = ELFBuilder.library(buildID: identity(1).bytes)
            let more: [ELFBuilder.Symbol] = [.init("g", at: 0x1030, size: 16)]
            file.add([.init(name, at: 0x1010, size: 16)] + (number == limit ? more : []))
            try folder.write(file.bytes(), to: "symbols/\(number)")
        }
        let names = await symbols(cached: true).names(identity(1), at: ImageOffset(0x1038))
        #expect(names == ["no_debug_info"])
        #expect(folder.names(in: "cache").count == limit)
    }

    @Test("concurrent lookups of an image get the same result, and one index is stored")
    func concurrentWants() async throws {
        try folder.write(try Self.dSYM(), to: "symbols/a")
        let shared = symbols(cached: true)
        let others = (0..<4).map { _ in symbols(cached: true) }
        let answers = await withTaskGroup(of: [String].self) { group in
            for symbols in others + [LocalSymbolProvider](repeating: shared, count: 4) {
                group.addTask { await symbols.names(Self.kit, at: Self.kitOffset) }
            }
            return await group.reduce(into: Set<[String]>()) { $0.insert($1) }
        }
        #expect(answers == [["hash_weight", "hash_row"]])
        let kept = folder.names(in: "cache")
        #expect(kept.count == 1)
        #expect(kept.first?.hasSuffix(".symidx") == true)
    }

    /// The dSYM with zeros after it, up to a size.
    private func writePadded(_ byteCount: Int, to name: String) throws {
        let bytes = try Self.dSYM()
        let path = try folder.write(bytes, to: name)
        try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(
            atOffset: UInt64(byteCount))
    }

    /// Whether offsets of the kit are looked up in an excerpt.
    private func isExcerpt(_ symbols: LocalSymbolProvider, at offsets: [ImageOffset]) async -> Bool
    {
        let supply: SymbolSupply = await symbols.symbols(for: Self.kit, at: offsets)
        switch supply {
        case .excerpt: return true
        case .found, .remote, .missing, .corrupt: return false
        }
    }

    @Test("the first lookup in a large file needs no index of the whole file")
    func firstQuestion() async throws {
        try writePadded(IndexSource.excerptFileBytes, to: "symbols/a")
        let symbols = symbols(cached: true)
        #expect(await isExcerpt(symbols, at: [Self.kitOffset]))
        let kept = folder.names(in: "cache")
        #expect(kept.count == 1 && kept.allSatisfy { $0.hasSuffix(".asked") })
        #expect(await !isExcerpt(symbols, at: [Self.kitOffset]))
    }

    @Test("the second lookup, even by another process, builds and stores a whole index")
    func secondQuestion() async throws {
        try writePadded(IndexSource.excerptFileBytes, to: "symbols/a")
        let first = await symbols(cached: true).names(Self.kit, at: Self.kitOffset)
        #expect(folder.names(in: "cache").filter { $0.hasSuffix(".symidx") } == [])
        let second = await symbols(cached: true).names(Self.kit, at: Self.kitOffset)
        #expect(first == ["hash_weight", "hash_row"] && second == first)
        #expect(folder.names(in: "cache").filter { $0.hasSuffix(".symidx") }.count == 1)
        #expect(await !isExcerpt(symbols(cached: true), at: [Self.kitOffset]))
    }

    @Test("without a folder for indexes the first lookup of each process uses an excerpt")
    func withoutFolder() async throws {
        try writePadded(IndexSource.excerptFileBytes, to: "symbols/a")
        for _ in 0..<2 { #expect(await isExcerpt(symbols(), at: [Self.kitOffset])) }
    }

    @Test("small files, many offsets, offsets without code and several files need the whole index")
    func wholeIndex() async throws {
        try writePadded(IndexSource.excerptFileBytes - 1, to: "small/a")
        #expect(await !isExcerpt(symbols("small"), at: [Self.kitOffset]))
        try writePadded(IndexSource.excerptFileBytes, to: "symbols/a")
        let limit = IndexSource.excerptOffsetLimit
        let offsets = [ImageOffset](repeating: Self.kitOffset, count: limit)
        #expect(await isExcerpt(symbols(), at: offsets))
        #expect(await !isExcerpt(symbols(), at: offsets + [Self.kitOffset]))
        #expect(await !isExcerpt(symbols(), at: []))
        #expect(await !isExcerpt(symbols(), at: [Self.kitOffset, ImageOffset(0)]))
        try folder.write(try Self.stripped(), to: "symbols/b")
        #expect(await isExcerpt(symbols(), at: [Self.kitOffset]))
        try folder.write(try Self.dSYM(), to: "symbols/c")
        #expect(await !isExcerpt(symbols(), at: [Self.kitOffset]))
    }
}

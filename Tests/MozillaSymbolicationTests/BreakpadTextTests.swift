import ByteReading
import CallStacks
import DebugFiles
import Demangling
import Foundation
import IndexSupport
import SymbolIndexes
import SymbolStores
import TestSupport
import Testing

@testable import MozillaSymbolication

@Suite("Breakpad symbol files")
struct BreakpadTextTests {
    private func index(_ path: String) async throws -> SymbolIndex {
        let full = projectFolder.appendingPathComponent(path).path
        let bytes = try MappedFile.bytes(of: full)
        let file = try #require(try DebugFile.slices(of: bytes, name: path).files.first)
        let built = try await BuiltIndex(of: file, name: path, threads: 1)
        return try SymbolIndex(.init(built.bytes))
    }

    private func text(_ index: SymbolIndex, named name: String = "App") throws -> String {
        var text = try BreakpadText(index, moduleName: name)
        var bytes: [UInt8] = []
        while let piece = try text.next() { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let orchard =
        "Symbols/orchard-1.4.0-arm64-release-dwarf4/Orchard.app.dSYM/Contents/Resources/DWARF/Orchard"
    private static let files = [
        orchard, "Symbols/linux-cpp-gcc-dwarf4/press.debug",
        "Symbols/linux-rust-release/scale.debug",
        "Symbols/linux-cpp-folded/press.debug", "Symbols/linux-c-dwarf2/seeds.debug",
    ]

    @Test("the text, read back, has the functions, files and lines of the index", arguments: files)
    func readBack(path: String) async throws {
        let index = try await index(path)
        let file = try BreakpadFile(try text(index))
        #expect(!file.functions.isEmpty)
        let demangler = Demangler()
        var numbers = SplitMix64(seed: 7)
        var offsets = file.functions.flatMap { [$0.range.lowerBound, $0.range.upperBound - 1] }
        offsets += file.functions.flatMap { $0.lines.map(\.range.lowerBound) }.prefix(3_000)
        let limit = index.codeLimit.rawValue
        offsets += (0..<500).map { _ in UInt64.random(in: 0...limit, using: &numbers) }
        for offset in offsets {
            let expected = try index.frames(at: ImageOffset(offset))?.frames.map { frame in
                let isKnown = frame.file != nil && (frame.line > 0 || frame.isInlined)
                var budget = DemanglingBudget()
                let name = frame.function.map { demangler.demangle([$0], budget: &budget)[0].text }
                return BreakpadFile.Frame(
                    function: name ?? "<name omitted>",
                    file: isKnown ? frame.file?.path : nil, line: isKnown ? frame.line : 0)
            }
            guard let found = file.frames(at: offset) else {
                // A function without lines is a `PUBLIC` record.
                let name = expected?.last?.function
                #expect(expected == nil || file.publics.contains { $0.name == name }, "\(offset)")
                continue
            }
            guard let expected else {
                Issue.record("0x\(String(offset, radix: 16)) has no function in the index")
                continue
            }
            #expect(found.map(\.function) == expected.map(\.function), "\(offset)")
            for (place, other) in zip(found, expected) where other.line > 0 {
                #expect(place.line == other.line && place.file == other.file, "\(offset)")
            }
        }
    }

    @Test("the first record names the system, architecture and identity")
    func module() async throws {
        let mac = try BreakpadFile(try text(await index(Self.orchard), named: "Orchard"))
        #expect(mac.module == ["mac", "arm64", "4C4C448155553144A199BFCEAE3FE7290", "Orchard"])
        #expect(mac.codeID == nil)
        let linux = try BreakpadFile(
            try text(await index("Symbols/linux-cpp-gcc-dwarf4/press.debug"), named: "a\nb"))
        #expect(linux.module == ["Linux", "x86_64", "25DD36A22F6EEFE70DEE80F4AC6618640", "a b"])
        #expect(linux.codeID == "A236DD256E2FE7EF0DEE80F4AC6618644B5D503A")
    }

    @Test("functions of a symbol table become public symbols")
    func symbolTable() async throws {
        let file = try BreakpadFile(
            try text(
                await index(
                    "Symbols/orchard-1.4.0-arm64-no-debug-info/Orchard.app/Frameworks/OrchardKit.framework/OrchardKit"
                )))
        #expect(file.functions.isEmpty)
        #expect(!file.publics.isEmpty)
    }

    @Test("a damaged index is an error", arguments: UInt64(0)..<16)
    func damage(seed: UInt64) async throws {
        var numbers = SplitMix64(seed: seed)
        let path = projectFolder.appendingPathComponent(Self.orchard).path
        let file = try #require(
            try DebugFile.slices(of: try MappedFile.bytes(of: path), name: path).files.first)
        var bytes = try await BuiltIndex(of: file, name: path, threads: 1).bytes
        let place = Int.random(in: 512..<bytes.count, using: &numbers)
        let whole = try text(try SymbolIndex(.init(bytes)))
        bytes[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &numbers)
        let index = try SymbolIndex(.init(bytes))
        do {
            let changed = try text(index)
            #expect(changed == whole, "a byte that no record needs")
        } catch is SymbolIndexError {}
    }
}

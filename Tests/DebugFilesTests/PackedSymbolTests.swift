import ByteReading
import DebugFiles
import Foundation
import TestSupport
import Testing

/// Symbol tables in `.gnu_debugdata`.
@Suite("Packed symbols")
struct PackedSymbolTests {
    /// A library that exports `shared`, and a packed symbol table with `hidden`.
    private func library(packed: [UInt8], isStripped: Bool = true) -> [UInt8] {
        var file = ELFBuilder.library()
        file.add([.init("shared", at: 0x1010, size: 8)], type: isStripped ? 11 : 2)
        file.sections.append(.init(".gnu_debugdata", contents: packed))
        return file.bytes()
    }

    private static var hidden: ELFBuilder {
        var file = ELFBuilder.library()
        file.add([.init("hidden", at: 0x1020, size: 8, binding: 0)])
        return file
    }

    private func read(_ bytes: [UInt8]) throws -> (lines: [String], summary: DebugFileSummary) {
        var sink = RecordingSink()
        let file = try DebugFileTests.file(bytes)
        let summary = file.read(into: &sink)
        #expect(file.summary() == summary)
        return (sink.lines, summary)
    }

    private let shared = "symbol 1010..1018 shared global"
    private let hidden = "symbol 1020..1028 hidden local"

    @Test("they are added to the exported ones, and count as a symbol table")
    func merged() throws {
        let (lines, summary) = try read(library(packed: xzStream(Self.hidden.bytes())))
        #expect(lines == [shared, hidden])
        #expect(summary.symbolCount == 2)
        #expect(summary.packedSymbolCount == 1)
        #expect(summary.quality == .symbols)
        #expect(summary.warnings.map(\.code) == [.noDebugInfo])
    }

    @Test("they are not read if the file has a symbol table of its own")
    func ownTable() throws {
        let (lines, summary) = try read(library(packed: [1], isStripped: false))
        #expect(lines == [shared])
        #expect(summary.warnings.map(\.code) == [.noDebugInfo])
    }

    @Test("a packed file without symbols adds nothing")
    func noSymbols() throws {
        let (lines, summary) = try read(
            library(packed: xzStream(ELFBuilder.library().bytes())))
        #expect(lines == [shared])
        #expect(summary.quality == .exportedSymbols)
        #expect(summary.warnings.map(\.code) == [.noDebugInfo])
    }

    private func warning(_ packed: [UInt8]) throws -> String? {
        let (lines, summary) = try read(library(packed: packed))
        #expect(lines == [shared])
        #expect(summary.quality == .exportedSymbols)
        #expect(summary.warnings.map(\.code) == [.noDebugInfo, .malformed])
        return summary.warnings.last?.text
    }

    @Test("damage is reported with a remedy, and the exported symbols remain")
    func damage() throws {
        let remedy = ": add the debug file of the same build"
        #expect(
            try warning([1])
                == ".gnu_debugdata+0x0: xz stream is corrupt or truncated" + remedy)
        #expect(
            try warning(xzStream([1, 2]))
                == "file in .gnu_debugdata+0x0: no ELF magic" + remedy)
        var file = Self.hidden
        file.sections[file.sections.count - 2].link = 99
        #expect(
            try warning(xzStream(file.bytes()))
                == ".symtab in .gnu_debugdata+0x0: has its strings in section 99, which is not a "
                + "string table" + remedy)
    }

    @Test("a packed file over the limit is reported and not unpacked")
    func limit() throws {
        let folder = try TestFolder()
        try shell("head -c $((256 << 20 | 1)) /dev/zero | xz -0 > packed", in: folder.url)
        let packed = [UInt8](try Data(contentsOf: folder.url.appendingPathComponent("packed")))
        #expect(
            try warning(packed)
                == ".gnu_debugdata+0x0: inflates to more than 256 MiB: add the debug file of the "
                + "same build")
    }

    @Test("every prefix of a packed file is read or reported")
    func prefixes() throws {
        let bytes = Self.hidden.bytes()
        for end in stride(from: 0, to: bytes.count, by: 7) {
            let (lines, _) = try read(library(packed: xzStream(Array(bytes[..<end]))))
            #expect(lines.first == shared)
        }
    }
}

import CallStacks
import Symbolication
import TestSupport
import Testing

@testable import SymbolStores

/// Debug files that lack functions or the sizes of code.
@Suite("Old and bare debug files")
struct OldDebugFileTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Returns `parse + 4 at dump.c:7`, or the status if there is no frame.
    private func answers(_ image: ImageID, at offsets: [UInt64]) async -> [String] {
        let symbols = LocalSymbolProvider(
            SymbolInventory(paths: [folder.path("symbols")]), cachedIn: nil)
        var lookup = OffsetLookup(provider: symbols)
        var answers: [String] = []
        for offset in offsets {
            let answer = await lookup.result(for: image, at: ImageOffset(offset))
            let frame = lookup.frames(of: answer).last
            answers.append(
                frame.map { frame in
                    "\(frame.function ?? "?") at \(frame.file?.name ?? "?"):\(frame.line)"
                } ?? answer.status.rawValue)
        }
        return answers
    }

    /// A dSYM as dsymutil of Xcode 3 wrote it for i386: its code sections have addresses but no
    /// sizes.
    private static func dSYM(_ dwarf: PlainDwarf) -> [UInt8] {
        var file = MachOBuilder()
        file.is64Bit = false
        file.cpuType = 7
        file.cpuSubtype = 3
        file.fileType = 10
        file.segments = [
            .init(
                "__TEXT", at: 0x1000,
                [
                    .init("__text", at: 0x1eb0, flags: 0x8000_0400),
                    .init("__cstring", at: 0x2000, flags: 2),
                ]),
            .init(
                "__DWARF", at: 0x2_0000,
                [
                    .init("__debug_abbrev", at: 0x2_0000, contents: dwarf.abbreviations),
                    .init("__debug_info", at: 0x2_1000, contents: dwarf.info),
                    .init("__debug_line", at: 0x2_2000, contents: dwarf.lines),
                ]),
        ]
        return file.bytes()
    }

    private static let image = ImageID(bytes: Array(1...16))!

    @Test("functions of a dSYM whose code sections have no sizes are read")
    func sectionsWithoutSizes() async throws {
        let dwarf = PlainDwarf(
            functions: [
                .init(name: "parse", code: 0x1eb0..<0x1f00),
                .init(name: "dump", code: 0x1f00..<0x2000),
                .init(name: "beyond", code: 0x2000..<0x2010),
            ],
            rows: [(0x1eb0, 7), (0x1f00, 9)], end: 0x2000)
        try folder.write(Self.dSYM(dwarf), to: "symbols/dump")
        #expect(
            await answers(Self.image, at: [0xeaf, 0xeb0, 0xeff, 0xf00, 0xfff, 0x1000]) == [
                "not_found", "parse at dump.c:7", "parse at dump.c:7", "dump at dump.c:9",
                "dump at dump.c:9", "not_found",
            ])
    }

    @Test("code without a function and without a symbol results in its line")
    func linesOnly() async throws {
        let dwarf = PlainDwarf(rows: [(0x1eb0, 7), (0x1f00, 9)], end: 0x1f10)
        try folder.write(Self.dSYM(dwarf), to: "symbols/dump")
        var library = ELFBuilder.library(buildID: identity(1).bytes)
        let plain = PlainDwarf(is64Bit: true, rows: [(0x1000, 3), (0x1008, 5)], end: 0x1020)
        library.sections += [
            .init(".debug_abbrev", contents: plain.abbreviations),
            .init(".debug_info", contents: plain.info), .init(".debug_line", contents: plain.lines),
        ]
        try folder.write(library.bytes(), to: "symbols/library")
        #expect(
            await answers(Self.image, at: [0xeb0, 0xf0f, 0xf10]) == [
                "? at dump.c:7", "? at dump.c:9", "not_found",
            ])
        #expect(
            await answers(identity(1), at: [0x1000, 0x101f, 0x1020]) == [
                "? at dump.c:3", "? at dump.c:5", "not_found",
            ])
    }
}

import CallStacks
@testable import DebugFiles
import Foundation
import TestSupport
import Testing

@Suite("Offsets that functions cover")
struct FunctionCoverageTests {
    private static func offset(_ number: UInt64) -> ImageOffset { ImageOffset(number) }

    private static func range(_ start: UInt64, _ end: UInt64) -> Range<ImageOffset> {
        offset(start)..<offset(end)
    }

    private func coverage(
        of offsets: [UInt64], by ranges: [Range<ImageOffset>]
    ) -> FunctionCoverage<RecordingSink> {
        var functions = FunctionCoverage(
            of: offsets.map(Self.offset), passedTo: RecordingSink())
        for range in ranges {
            var record = FunctionRecord()
            record.ranges = [range]
            functions.add(record)
        }
        return functions
    }

    @Test(
        "an offset is covered from the start of a range to before its end",
        arguments: [
            ([0x10], true), ([0x1f], true), ([0x20], false), ([0xf], false),
            ([0x4f, 0x10, 0x10], true), ([0x10, 0x30, 0x4f], false), ([], true),
        ] as [([UInt64], Bool)])
    func bounds(offsets: [UInt64], isCovered: Bool) {
        let found = coverage(of: offsets, by: [Self.range(0x40, 0x50), Self.range(0x10, 0x20)])
        #expect(found.coversAll == isCovered)
        #expect(found.starts == [Self.offset(0x10), Self.offset(0x40)])
    }

    @Test("an empty range neither covers an offset nor counts as a start")
    func emptyRange() {
        let found = coverage(of: [0x10], by: [Self.range(0x10, 0x10)])
        #expect(!found.coversAll)
        #expect(found.starts.isEmpty)
    }

    @Test("of the symbols, only those at starts of functions are read for code of functions")
    func symbols() throws {
        let path = "Symbols/linux-cpp-gcc-dwarf4/press.debug"
        let bytes = try Data(contentsOf: projectFolder.appendingPathComponent(path))
        let file = try DebugFileTests.file(Array(bytes))
        var whole = FunctionCoverage(of: [], passedTo: RecordingSink())
        _ = file.read(into: &whole)
        let starts = Set(whole.starts.map { String($0.rawValue, radix: 16)[...] })
        let first = try #require(whole.starts.min()).rawValue
        let covered = try read(file, at: [first])
        #expect(!covered.isEmpty)
        #expect(covered.allSatisfy { starts.contains($0.start) })
        // Code of the C library's start files has no function.
        let section = try #require(file.layout.code.first)
        let all = try read(file, at: [section.lowerBound.rawValue, first])
        #expect(all.map(\.line) == whole.base.lines.filter { $0.hasPrefix("symbol ") })
        #expect(all.count > covered.count)
    }

    /// Returns the symbols that are read for some offsets.
    private func read(
        _ file: DebugFile, at offsets: [UInt64]
    ) throws -> [(start: Substring, line: String)] {
        var sink = RecordingSink()
        _ = try #require(file.read(at: offsets.map(Self.offset), into: &sink))
        return sink.lines.filter { $0.hasPrefix("symbol ") }.map {
            ($0.dropFirst("symbol ".count).prefix { $0 != "." }, $0)
        }
    }
}

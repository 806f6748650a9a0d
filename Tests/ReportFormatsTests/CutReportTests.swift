import CallStacks
import Foundation
import LogExtraction
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

/// Reports of every format that end too early, alone and before another report.
@Suite("Reports that end at any byte")
struct CutReportTests {
    private static let release = "Fixtures/Diagnostics/orchard-1.4.0-arm64-release-dwarf4/"
    private static let swift = "Fixtures/Diagnostics/linux-swift-release/"
    private static let goldens = "Tests/ReportFormatsTests/Goldens/"
    private static let stacks = "Fixtures/Stacks/"

    private static let names = [
        release + "divide-by-zero.report.ips", release + "divide-by-zero.legacy.crash",
        release + "divide-by-zero.diagnostic.json", release + "divide-by-zero.otlp.json",
        release + "index-rebuild.hang.json",
        goldens + "divide-by-zero.report.ips", goldens + "divide-by-zero.report.ips.crash",
        goldens + "objc-block.legacy.crash", goldens + "async-resume.legacy.crash",
        goldens + "hang.app-store-connect.json", goldens + "hang.sample.txt",
        goldens + "hang.spindump.txt", goldens + "tombstone.txt",
        goldens + "SwiftBacktraces/linux-swift-debug-engine-index.backtrace.txt",
        goldens + "SwiftBacktraces/linux-swift-debug-engine-unwrap.backtrace-colors.txt",
        swift + "engine-index.backtrace.txt", swift + "engine-index.backtrace.json",
        stacks + "address.txt", stacks + "address.symbolicated.txt",
        stacks + "backtrace-symbols.txt", stacks + "backtrace-symbols.fixed.txt",
        stacks + "gdb.txt", stacks + "leak.txt", stacks + "perf.txt", stacks + "rust.txt",
        stacks + "rust.full.txt", stacks + "thread.txt", stacks + "thread.symbolicated.txt",
        stacks + "undefined.txt", stacks + "valgrind.txt", stacks + "boost.txt",
        stacks + "glog.txt", stacks + "go.txt",
    ]

    private static func contents(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: projectFolder.appendingPathComponent(name)))
    }

    /// Returns the functions of all frames, from symbols or as received.
    private static func functions(_ bytes: [UInt8]) async -> [String] {
        let results = await OrchardSymbols.results(CrashFileReader().read(bytes))
        return results.flatMap { $0.frames.compactMap(\.function) }
    }

    /// Returns the functions that are not in a whole report, where the end of one may be missing.
    private static func invented(_ functions: [String], besides known: Set<String>) -> [String] {
        functions.filter { function in
            !known.contains(function) && !known.contains { $0.hasPrefix(function) }
        }
    }

    /// Every end of a short report, and random ones of a longer one.
    private static func ends(of count: Int) -> [Int] {
        if count < 600 { return Array(1..<count) }
        var numbers = SplitMix64(seed: 29)
        return (0..<16).map { _ in Int.random(in: 1..<count, using: &numbers) }
    }

    @Test("a truncated report has no function that the whole one lacks", arguments: names)
    func alone(name: String) async throws {
        let whole = try Self.contents(name)
        let known = Set(await Self.functions(whole))
        for end in Self.ends(of: whole.count) {
            let found = await Self.functions(Array(whole[..<end]))
            let invented = Self.invented(found, besides: known)
            #expect(invented.isEmpty, "cut at \(end)")
        }
    }

    @Test("a truncated report before another has no function that both lack", arguments: names)
    func mixed(name: String) async throws {
        let first = try Self.contents(name)
        let known = Set(await Self.functions(first))
        var numbers = SplitMix64(seed: UInt64(first.count))
        for _ in 0..<3 {
            let end = Int.random(in: 1..<first.count, using: &numbers)
            let other = try #require(Self.names.randomElement(using: &numbers))
            let second = try Self.contents(other)
            let prose = bytes("\n\nPeter sent this one\n\n")
            let found = await Self.functions(first[..<end] + prose + second)
            let all = known.union(await Self.functions(second))
            #expect(Self.invented(found, besides: all).isEmpty, "cut at \(end), then \(other)")
        }
    }

    @Test(
        "a report after a truncated one in JSON is read",
        arguments: [
            release + "divide-by-zero.legacy.crash", goldens + "tombstone.txt",
            goldens + "hang.sample.txt", stacks + "address.txt", stacks + "gdb.txt",
            stacks + "thread.txt", release + "divide-by-zero.report.ips",
        ])
    func following(name: String) throws {
        let first = try Self.contents(Self.release + "divide-by-zero.report.ips")
        let second = try Self.contents(name)
        let expected = CrashFileReader().read(second).reports.map(\.format)
        let header = try #require(first.firstIndex(of: UInt8(ascii: "\n")))
        var numbers = SplitMix64(seed: 31)
        for _ in 0..<12 {
            let end = Int.random(in: header + 400..<first.count - 10, using: &numbers)
            let text = first[..<end] + bytes("\n\nPeter sent this one\n\n") + second
            let file = CrashFileReader().read(Array(text))
            #expect(file.reports.map(\.format) == [.ips] + expected, "cut at \(end)")
        }
    }

    @Test("lines that end anywhere, also in a blank, are read", arguments: names)
    func lines(name: String) throws {
        let whole = try Self.contents(name)
        for line in whole.text.split(separator: "\n").prefix(12) {
            let start = Array(line.utf8.prefix(120))
            let ends = (1...start.count).map { start.prefix($0) + bytes(" \n") + start.prefix($0) }
            let text = whole + ends.joined(separator: bytes("\n")) + whole
            for report in CrashFileReader().read(text).reports {
                #expect(report.range.upperBound <= text.count)
            }
        }
    }

    @Test(
        "a line of gdb's output that ends after a word before a name is read",
        arguments: [
            "#1  0x00005555555554c7 in ", "#1  0x00005555555554c7 in",
            "#1  0x00005555555554c7 in pour (cask=0x7ffe,\n    litres=3) at ",
            "#1  0x00005555555554c7 in pour () at ", "#1  0x00005555555554c7 in ?? () from ",
        ])
    func debugger(end: String) throws {
        let start = "#0  0x0000555555555392 in ?? ()\n"
        for text in [start + end, start + end + "\n", end + "\n" + start] {
            let file = CrashFileReader().read(bytes(text))
            #expect(file.reports.map(\.format) == [.gdb])
        }
    }

    @Test(
        "the start of a module, an address or a distance is not a function",
        arguments: [
            ("    #0 0x55f41410c38a  (/src/cellar+0x238a)\n", "    #1 0x55f41410c4c7  (/src/cel"),
            ("    #0 0x55f41410c38a  (/src/cellar+0x238a)\n", "    #1 0x55f41410c4c7 i"),
            ("Thread 0:\n0   Shop   0x0000000000001010 0x1000 + 16\n", "1   Shop   0x1020 0"),
            ("stack backtrace:\n   0: cellar::pour\n", "   1:     0x"),
            ("stack backtrace:\n   0: cellar::pour\n", "   1:     0x55d6f1c1b2a4 - <unk"),
        ])
    func lastLine(start: String, end: String) throws {
        let diagnostic = try #require(CrashFileReader().read(bytes(start + end)).diagnostics.first)
        #expect(diagnostic.tree.reportedFunctions[1] == nil)
    }

    @Test(
        "a name keeps nothing of a distance or source location whose end is missing",
        arguments: [
            " +", " + ", " + 8 (", " + 8 (Cart.sw", " + 8 (Cart.swift:", " + 8 (a.c:3) [in",
            " + 8 [in",
        ]
    )
    func distance(end: String) throws {
        let text = "Thread 0:\n0   Shop   0x0000000000001010 Cart.total(of:)" + end
        let diagnostic = try #require(CrashFileReader().read(bytes(text)).diagnostics.first)
        #expect(diagnostic.tree.reportedFunctions[0]?.map(\.name) == ["Cart.total(of:)"])
    }

    @Test(
        "an addition in a name is not a distance",
        arguments: [
            "chunk<(limit + 8 < 64)>(int)", "chunk<(limit + 8 << 2)>", "chunk<(limit + 8 > 4)>",
            "chunk<(limit + 8)>(int)", "chunk<decltype(limit + 8 * 2)>", "chunk<(limit + 8 (2))>",
        ])
    func addition(name: String) throws {
        let text = "Thread 0:\n0   Shop   0x0000000000001010 \(name)\n"
        for text in [text, text + "1   Shop   0x0000000000001020 main + 4\n"] {
            let diagnostic = try #require(CrashFileReader().read(bytes(text)).diagnostics.first)
            #expect(diagnostic.tree.reportedFunctions[0]?.map(\.name) == [name])
        }
    }
}

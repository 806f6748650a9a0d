import CallStacks
import LogExtraction
import MetricKitPayloads
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

@Suite("Damaged crash files")
struct DamageTests {
    private static let files = [
        "divide-by-zero.report.ips", "objc-block.legacy.crash", "objc-block.diagnostic.json",
    ]

    /// Expects a report or a reason for every file, and that its rewriting works.
    private func check(_ bytes: [UInt8], _ place: String) async {
        let file = CrashFileReader().read(bytes)
        #expect(!file.reports.isEmpty || !file.unread.isEmpty, "\(place)")
        for report in file.reports {
            #expect(report.range.upperBound <= bytes.count, "\(place)")
            #expect(report.resolved().tree.frames.count <= bytes.count, "\(place)")
        }
        #expect(await OrchardSymbols.written(bytes).isEmpty == bytes.isEmpty, "\(place)")
    }

    @Test("a file that ends at any byte is read as far as possible", arguments: files)
    func cut(name: String) async throws {
        let whole = try OrchardSymbols.fixture(name)
        for place in stride(from: 0, to: whole.count, by: whole.count / 50) {
            await check(Array(whole[..<place]), "\(name) cut at \(place)")
        }
    }

    @Test("a file with any bit flipped is read", arguments: files)
    func flipped(name: String) async throws {
        var numbers = SplitMix64(seed: 65)
        for _ in 0..<50 {
            var bytes = try OrchardSymbols.fixture(name)
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            await check(bytes, "\(name) with a wrong bit at \(place)")
        }
    }

    @Test("the frames before the end of a truncated report are kept")
    func frames() throws {
        let whole = try OrchardSymbols.fixture("divide-by-zero.report.ips")
        var counts: [Int] = []
        for place in stride(from: 0, to: whole.count, by: whole.count / 50) {
            let file = CrashFileReader().read(Array(whole[..<place]))
            counts.append(file.diagnostics.first?.tree.frames.count ?? 0)
        }
        #expect(counts == counts.sorted())
        #expect(counts.last ?? 0 > 20)
    }

    @Test("deeply nested files are read")
    func nested() {
        let brackets = [UInt8](repeating: UInt8(ascii: "["), count: 300_000)
        #expect(CrashFileReader().read(brackets).reports.isEmpty)
        let file = CrashFileReader().read(bytes("{\"usedImages\":[],\"threads\":") + brackets)
        #expect(file.diagnostics.map(\.remarks) == [[.depthLimit]])
        #expect(
            file.unread.map { "\($0.problem)" } == ["json+0x1001a: nests deeper than 65536 levels"])
    }

    @Test("frames around a line of megabytes are kept")
    func longLine() {
        let line = String(repeating: "x", count: 5_000_000)
        let file = CrashFileReader().read(
            bytes("Thread 0:\n0 a 0x1000 x + 1\n\(line)\n1 a 0x1004 y + 1\n"))
        #expect(file.diagnostics.map(\.tree.frames.count) == [2])
    }

    @Test("a stack with too many frames has a remark, and the rest of the file is kept")
    func manyFrames() {
        var limits = PayloadLimits()
        limits.nestedFrames = 10
        limits.framesPerTree = 15
        let thread = "Thread 0:\n" + (0..<12).map { "\($0) a 0x1000 x + 1\n" }.joined() + "\n"
        let file = CrashFileReader(limits: limits).read(bytes(thread))
        #expect(file.diagnostics.map(\.tree.frames.count) == [10])
        #expect(file.diagnostics.first?.tree.remarks == [.depthLimit])
        let both = CrashFileReader(limits: limits).read(bytes(thread + thread))
        #expect(both.diagnostics.first?.remarks == [.frameLimit, .noImageList])
    }

    @Test("the stacks after one that is too deep keep their frames")
    func deepStack() {
        var limits = PayloadLimits()
        limits.nestedFrames = 10
        limits.framesPerTree = 15
        let deep = "Thread 0:\n" + (0..<40).map { "\($0) a 0x1000 x + 1\n" }.joined()
        let thrown =
            "Last Exception Backtrace:\n("
            + (0..<40).map { _ in "0x1000" }.joined(separator: " ") + ")\n"
        for first in [deep, thrown] {
            let text = "\(first)\nThread 1:\n0 a 0x1004 y + 1\n1 a 0x1008 z + 1\n"
            let tree = CrashFileReader(limits: limits).read(bytes(text)).diagnostics.first?.tree
            #expect(tree?.stacks.map(\.frames.count) == [10, 2])
            #expect(tree?.remarks == [.depthLimit])
        }
    }
}

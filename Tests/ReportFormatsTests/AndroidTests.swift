import CallStacks
import Foundation
import LogExtraction
import ReportFixtures
import ReportFormats
import SymbolStores
import Symbolication
import TestSupport
import Testing

/// A tombstone with the frames of a real crash of a fixture program.
@Suite("Android crashes")
struct AndroidTests {
    private static let symbols = LocalSymbolProvider(
        SymbolInventory(paths: [
            projectFolder.appendingPathComponent("Symbols/linux-swift-release").path
        ]), cachedIn: nil)

    @Test("system libraries are recognised by path, with or without a build ID")
    func systemLibraries() async throws {
        let frames = """
              #00 pc 0000000000001330  /system/lib64/libandroid_runtime.so (nativeStart+8)
              #01 pc 000000000005d412  /vendor/lib64/egl/libmali.so (BuildId: 0123456789abcdef)
              #02 pc 000000000000138c  /data/app/com.example.orchard/lib/arm64/liborchard.so

            """
        let file = CrashFileReader().read(Array(frames.utf8))
        let report = try #require(file.reports.first)
        let result = await Symbolicator(provider: Self.symbols).symbolicate(report.resolved())
        #expect(result.frames.map(\.isInApp) == [false, false, true])
    }

    private let text = """
        *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
        Build fingerprint: 'example/device:16/ABCD.000000.001/1:user/release-keys'
        Revision: '0'
        ABI: 'x86_64'
        Timestamp: 2026-11-20 08:00:00.123456789+0000
        Cmdline: com.example.orchard
        pid: 431, tid: 431, name: main  >>> com.example.orchard <<<
        signal 4 (SIGILL), code 2 (ILL_ILLOPN), fault addr 0x0000000000003029
        Abort message: 'the press is empty'

        3 total frames
        backtrace:
              #00 pc 0000000000001330  /data/app/com.example.orchard/base.apk!engine (offset 0x1000) (BuildId: a5a4612391f31a9ef9dd5cc0692d9d875da92822)
              #01 pc 000000000005d412  /apex/lib64/bionic/libc.so (__libc_init+82) (BuildId: 0123456789abcdef0123456789abcdef)
              #02 pc 000000000000138c  /data/app/com.example.orchard/engine (BuildId: a5a4612391f31a9ef9dd5cc0692d9d875da92822)
        --- --- --- --- --- --- --- --- --- --- --- --- --- --- --- ---
        pid: 431, tid: 432, name: press-1  >>> com.example.orchard <<<
              #00 pc 0000000000001234  /system/lib64/odd (deleted)
        """

    private func symbolicated(_ text: String) async -> (file: CrashFile, text: String) {
        let bytes = Array(text.utf8)
        let file = CrashFileReader().read(bytes)
        var edits: [Edit] = []
        for report in file.reports {
            let result = await Symbolicator(provider: Self.symbols)
                .symbolicate(report.resolved())
            edits += report.edits(with: result)
        }
        return (file, String(decoding: edits.applied(to: bytes), as: UTF8.self))
    }

    @Test(
        "a tombstone copied from Android Studio is read like any other",
        arguments: [("pid-431", "F"), ("crash_dump64", "A")])
    func studio(process: String, priority: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let log = lines.map {
            let tag = "DEBUG".padding(toLength: 23, withPad: " ", startingAt: 0)
            let name = process.padding(toLength: 36, withPad: " ", startingAt: 0)
            return "2026-11-20 08:00:00.123   431-431   \(tag) \(name) \(priority)  \($0)\n"
        }
        let report = try #require(CrashFileReader().read(Array(log.joined().utf8)).reports.first)
        let plain = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
        #expect(report.format == .androidText)
        #expect(report.resolved().tree == plain.resolved().tree)
        #expect(report.resolved().details.signal == 4)
        #expect(report.resolved().details.processName == "com.example.orchard")
    }

    @Test("each process in a file of traces is a report with its own time")
    func traces() {
        func trace(_ pid: Int, _ name: String, _ frame: String) -> String {
            """
            ----- pid \(pid) at 2026-05-01 10:00:0\(pid) -----
            Cmd line: \(name)
            Build fingerprint: 'x'
            "main" prio=5 tid=1 Native
            \(frame)
            ----- end \(pid) -----

            """
        }
        let frame =
            "  native: #00 pc 0000000000001330  /data/libengine.so (BuildId: 0123456789abcdef)"
        let text =
            trace(1, "first", frame) + trace(2, "none", "  at a.B.c(B.java:1)")
            + trace(3, "third", frame)
        let reports = CrashFileReader().read(Array(text.utf8)).reports
        let details = reports.map { $0.resolved().details }
        #expect(details.map(\.processName) == ["first", "third"])
        #expect(details.map(\.timestamp) == ["2026-05-01 10:00:01", "2026-05-01 10:00:03"])
        #expect(reports.map { $0.resolved().tree.stacks.count } == [1, 1])
    }

    @Test("a tombstone has threads, a signal and process details")
    func read() async throws {
        let report = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
        #expect(report.format == .androidText)
        let diagnostic = report.resolved()
        #expect(diagnostic.tree.stacks.map(\.name) == ["main", "press-1"])
        #expect(diagnostic.tree.stacks.map(\.isAttributed) == [true, false])
        #expect(diagnostic.tree.stacks.map(\.frames) == [0..<3, 3..<4])
        try #require(
            diagnostic.tree.frames.map(\.imageName) == ["engine", "libc.so", "engine", "odd"])
        #expect(diagnostic.tree.frames[1].site == .adjusted(ImageOffset(0x5d412)))
        #expect(diagnostic.tree.frames[1].image?.hex == "0123456789abcdef0123456789abcdef")
        #expect(diagnostic.tree.frames[3].remarks == [.noUUID])
        #expect(diagnostic.tree.reportedFunctions[1]?.map(\.name) == ["__libc_init"])
        #expect(diagnostic.details.signal == 4)
        #expect(diagnostic.details.processName == "com.example.orchard")
        #expect(diagnostic.details.runtimeMessage == "the press is empty")
    }

    @Test(
        "an abort message may contain apostrophes, and lack the last one",
        arguments: [
            ("'the press isn't full'", "the press isn't full"), ("'the press", "the press"),
        ])
    func abortMessage(text quoted: String, message: String) throws {
        let edited = text.replacing("'the press is empty'", with: quoted)
        let report = try #require(CrashFileReader().read(Array(edited.utf8)).reports.first)
        #expect(report.resolved().details.runtimeMessage == message)
    }

    @Test("an address is relative to the file, also if its first segment has an address")
    func linkAddresses() throws {
        let frame = "#00 pc 0000000000401130  /data/app/shop.so (BuildId: 0123456789abcdef)\n"
        let report = try #require(CrashFileReader().read(Array(frame.utf8)).reports.first)
        let placement = ImagePlacement(base: LinkAddress(0x40_0000), segments: [])
        let placed = report.resolved(placementOf: { _ in placement })
        #expect(placed.tree.frames.map(\.site) == [.adjusted(ImageOffset(0x1130))])
        #expect(report.resolved().tree.frames.map(\.site) == [.adjusted(ImageOffset(0x40_1130))])
    }

    @Test("the bytes around a function are kept, such as fixed blanks and entities")
    func keptBytes() async {
        let odd = text.replacing("      #00 pc 0000000000001330", with: "\u{a0} #00 pc 1330")
            .replacing("/engine", with: "/&lt;R&amp;D&gt;'s/engine")
        let written = await symbolicated(odd).text
        #expect(written.contains("\u{a0} #00 pc 1330"))
        #expect(written.contains("/&lt;R&amp;D&gt;'s/engine ("))
    }

    @Test("a tombstone gets functions and lines, and symbolicating it again changes nothing")
    func written() async throws {
        let once = await symbolicated(text)
        try expectGolden(once.text, "tombstone.txt")
        let twice = await symbolicated(once.text)
        #expect(twice.text == once.text)
        #expect(
            twice.file.reports.first?.resolved().tree.frames
                == once.file.reports.first?.resolved().tree.frames)
    }

    @Test("a tombstone without resolved frames stays unchanged, and a truncated one is still read")
    func damaged() async {
        let unknown = text.replacing("a5a4612391f3", with: "5a5a612391f3")
        #expect(await symbolicated(unknown).text == unknown)
        let bytes = Array(text.utf8)
        var numbers = SplitMix64(seed: 10)
        for step in 0..<50 {
            let cut = String(decoding: bytes[..<(bytes.count * step / 50)], as: UTF8.self)
            #expect(await symbolicated(cut).text.utf8.count >= cut.utf8.count)
            _ = CrashFileReader().read(bytes.damaged(using: &numbers))
        }
    }

    @Test("lines between an inlined call and its function are kept")
    func foreignLine() async {
        let once = await symbolicated(text).text
        let lines = once.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.firstIndex(where: { $0.contains("#00 pc") }),
            lines.dropFirst(first + 1).first?.contains("#00 pc") == true
        else {
            Issue.record("the frame has no inlined calls")
            return
        }
        let foreign = "      a line of another program"
        let mixed = lines[...first] + [foreign[...]] + lines[(first + 1)...]
        let expected = lines[..<first] + [foreign[...]] + lines[first...]
        #expect(
            await symbolicated(mixed.joined(separator: "\n")).text
                == expected.joined(separator: "\n"))
    }

    @Test(
        "a tombstone after log prefixes is read, and rewritten with them",
        arguments: ["11-20 08:00:00.000   431   431 F DEBUG   : ", "F/DEBUG   (  431): "])
    func logged(prefix: String) async throws {
        func logged(_ text: String) -> String {
            text.split(separator: "\n", omittingEmptySubsequences: false).map { prefix + $0 }
                .joined(separator: "\n")
        }
        let bare = await symbolicated(text)
        let result = await symbolicated(logged(text))
        #expect(result.text == logged(bare.text))
        let whole = try #require(result.file.diagnostics.first)
        let own = try #require(bare.file.diagnostics.first)
        #expect(whole.tree.frames == own.tree.frames)
        #expect(whole.details.processName == own.details.processName)
        #expect(whole.details.signal == own.details.signal)
    }

    @Test("a trace of an app that does not respond has the threads with native frames")
    func trace() async throws {
        let build = "a5a4612391f31a9ef9dd5cc0692d9d875da92822"
        let text = """
            ----- pid 431 at 2026-11-20 08:00:00.123456789+0000 -----
            Cmd line: com.example.orchard

            "Signal Catcher" daemon prio=10 tid=6 Runnable
              | group="system" sCount=0
              native: #00 pc 0000000000001330  /data/app/engine (BuildId: \(build))

            "main" prio=5 tid=1 Native
              native: #00 pc 000000000005d412  /apex/lib64/libc.so (syscall+28)
              native: #01 pc 0000000000001330  /data/app/engine (BuildId: \(build))
              at com.example.Orchard.press(Native method)

            """
        let result = await symbolicated(text)
        let diagnostic = try #require(result.file.diagnostics.first)
        #expect(result.file.reports.map(\.format) == [.androidText])
        #expect(diagnostic.kind == .hang)
        #expect(diagnostic.details.processName == "com.example.orchard")
        #expect(diagnostic.tree.stacks.map(\.name) == ["Signal Catcher", "main"])
        #expect(diagnostic.tree.stacks.map(\.isAttributed) == [false, true])
        #expect(result.text.contains("\n  native: #01 pc 0000000000001330  /data/app/engine ("))
        #expect(result.text.contains("[inlined] (BuildId: \(build))\n  native: #01 pc"))
    }
}

import CallStacks
import CrashFiles
import Foundation
import SymbolStores
import Symbolication
import TestSupport
import Testing

/// A tombstone with the frames of a crash that a program of the fixtures really had.
@Suite("A crash on Android")
struct AndroidTests {
    private static let symbols = LocalSymbols(
        SymbolInventory(paths: [
            projectFolder.appendingPathComponent("Symbols/linux-swift-release").path
        ]), cachedIn: nil)

    @Test("libraries of the system are told by their paths, with a build id or without")
    func systemLibraries() async throws {
        let frames = """
              #00 pc 0000000000001330  /system/lib64/libandroid_runtime.so (nativeStart+8)
              #01 pc 000000000005d412  /vendor/lib64/egl/libmali.so (BuildId: 0123456789abcdef)
              #02 pc 000000000000138c  /data/app/com.example.orchard/lib/arm64/liborchard.so

            """
        let file = CrashFileReader().read(Array(frames.utf8))
        let report = try #require(file.reports.first)
        let answer = await Symbolicator(provider: Self.symbols).symbolicate(report.resolved())
        #expect(answer.frames.map(\.isInApp) == [false, false, true])
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

    private func answered(_ text: String) async -> (file: CrashFile, text: String) {
        let bytes = Array(text.utf8)
        let file = CrashFileReader().read(bytes)
        var edits: [Edit] = []
        for report in file.reports {
            let answer = await Symbolicator(provider: Self.symbols)
                .symbolicate(report.resolved())
            edits += report.edits(with: answer)
        }
        return (file, String(decoding: edits.applied(to: bytes), as: UTF8.self))
    }

    @Test("is read with its threads and circumstances")
    func read() async throws {
        let report = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
        #expect(report.format == .androidText)
        let diagnostic = report.resolved()
        #expect(diagnostic.tree.stacks.map(\.name) == ["main", "press-1"])
        #expect(diagnostic.tree.stacks.map(\.isAttributed) == [true, false])
        #expect(diagnostic.tree.stacks.map(\.frames) == [0..<3, 3..<4])
        #expect(
            diagnostic.tree.frames.map(\.imageName) == ["engine", "libc.so", "engine", "odd"])
        #expect(diagnostic.tree.frames[1].site == .adjusted(ImageOffset(0x5d412)))
        #expect(diagnostic.tree.frames[1].image?.hex == "0123456789abcdef0123456789abcdef")
        #expect(diagnostic.tree.frames[3].remarks == [.noUUID])
        #expect(diagnostic.tree.given[1]?.map(\.name) == ["__libc_init"])
        #expect(diagnostic.details.signal == 4)
        #expect(diagnostic.details.processName == "com.example.orchard")
        #expect(diagnostic.details.runtimeMessage == "the press is empty")
    }

    @Test("gets functions and lines, and no more when it is symbolicated again")
    func written() async throws {
        let once = await answered(text)
        try expectGolden(once.text, "tombstone.txt")
        let twice = await answered(once.text)
        #expect(twice.text == once.text)
        #expect(
            twice.file.reports.first?.resolved().tree.frames
                == once.file.reports.first?.resolved().tree.frames)
    }

    @Test("stays as it came where nothing is resolved, and gives some output wherever it is cut")
    func damaged() async {
        let unknown = text.replacing("a5a4612391f3", with: "5a5a612391f3")
        #expect(await answered(unknown).text == unknown)
        let bytes = Array(text.utf8)
        var numbers = SplitMix64(seed: 10)
        for step in 0..<50 {
            let cut = String(decoding: bytes[..<(bytes.count * step / 50)], as: UTF8.self)
            #expect(await answered(cut).text.utf8.count >= cut.utf8.count)
            _ = CrashFileReader().read(bytes.damaged(using: &numbers))
        }
    }

    @Test("keeps lines between an inlined call and its function")
    func foreignLine() async {
        let once = await answered(text).text
        let lines = once.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.firstIndex(where: { $0.contains("#00 pc") }),
            lines[first + 1].contains("#00 pc")
        else {
            Issue.record("the frame has no inlined calls")
            return
        }
        let foreign = "      a line of another program"
        let mixed = lines[...first] + [foreign[...]] + lines[(first + 1)...]
        let expected = lines[..<first] + [foreign[...]] + lines[first...]
        #expect(
            await answered(mixed.joined(separator: "\n")).text == expected.joined(separator: "\n"))
    }

    @Test(
        "is read behind what a log puts before its lines, and written with it",
        arguments: ["11-20 08:00:00.000   431   431 F DEBUG   : ", "F/DEBUG   (  431): "])
    func logged(prefix: String) async {
        func logged(_ text: String) -> String {
            text.split(separator: "\n", omittingEmptySubsequences: false).map { prefix + $0 }
                .joined(separator: "\n")
        }
        let bare = await answered(text)
        let answer = await answered(logged(text))
        #expect(answer.text == logged(bare.text))
        let (whole, own) = (answer.file.diagnostics[0], bare.file.diagnostics[0])
        #expect(whole.tree.frames == own.tree.frames)
        #expect(whole.details.processName == own.details.processName)
        #expect(whole.details.signal == own.details.signal)
    }

    @Test("that did not respond is read as far as its threads have native frames")
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
        let answer = await answered(text)
        let diagnostic = try #require(answer.file.diagnostics.first)
        #expect(answer.file.reports.map(\.format) == [.androidText])
        #expect(diagnostic.kind == .hang)
        #expect(diagnostic.details.processName == "com.example.orchard")
        #expect(diagnostic.tree.stacks.map(\.name) == ["Signal Catcher", "main"])
        #expect(diagnostic.tree.stacks.map(\.isAttributed) == [false, true])
        #expect(answer.text.contains("\n  native: #01 pc 0000000000001330  /data/app/engine ("))
        #expect(answer.text.contains("[inlined] (BuildId: \(build))\n  native: #01 pc"))
    }
}

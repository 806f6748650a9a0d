import CallStacks
import CrashFiles
import StackRendering
import TestSupport
import Testing

/// Crashes that the sample app really had, in the formats that have a place for functions.
@Suite("Crash files with functions in them")
struct WrittenFileTests {
    private static let files = [
        "divide-by-zero.report.ips", "objc-block.report.ips", "async-resume.report.ips",
        "divide-by-zero.legacy.crash", "objc-block.legacy.crash", "async-resume.legacy.crash",
    ]

    @Test("are what they were but for their frames", arguments: files)
    func golden(name: String) async throws {
        try expectGolden(
            await OrchardSymbols.written(try OrchardSymbols.fixture(name)).text, name)
    }

    @Test("read as any other report", arguments: files)
    func text(name: String) async throws {
        let file = CrashFileReader().read(try OrchardSymbols.fixture(name))
        let texts = await OrchardSymbols.answers(file).map { StackText().report(of: $0) }
        try expectGolden(texts.joined(), name + ".txt")
    }

    @Test("stay as they are when they are read again", arguments: files)
    func again(name: String) async throws {
        let written = await OrchardSymbols.written(try OrchardSymbols.fixture(name))
        #expect(await OrchardSymbols.written(written) == written)
    }

    @Test("give the same frames as before", arguments: files)
    func frames(name: String) async throws {
        let before = try OrchardSymbols.fixture(name)
        let written = await OrchardSymbols.written(before)
        #expect(written != before)
        let (old, new) = (CrashFileReader().read(before), CrashFileReader().read(written))
        #expect(old.diagnostics.map(\.tree.frames) == new.diagnostics.map(\.tree.frames))
        #expect(old.diagnostics.map(\.details) == new.diagnostics.map(\.details))
    }

    @Test("with line ends of Windows and a byte-order mark keep both")
    func windows() async throws {
        let text = try OrchardSymbols.fixture("divide-by-zero.legacy.crash").text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let windows = bytes("\u{feff}" + lines.joined(separator: "\r\n"))
        let plain = await OrchardSymbols.written(bytes(text)).text
            .split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            await OrchardSymbols.written(windows).text
                == "\u{feff}" + plain.joined(separator: "\r\n"))
    }

    @Test("without symbols stay as they are", arguments: files)
    func nothing(name: String) throws {
        let bytes = try OrchardSymbols.fixture(name)
        for report in CrashFileReader().read(bytes).reports {
            let answer = SymbolicatedDiagnostic(
                kind: .crash, details: DiagnosticDetails(), status: .raw, culprit: nil,
                fingerprint: "", form: .threads, stacks: [], frames: [], images: [], remarks: [])
            #expect(report.edits(with: answer).isEmpty)
        }
    }
}

import CallStacks
import LogExtraction
import ReportFixtures
import ReportFormats
import StackRendering
import TestSupport
import Testing

/// Real crashes of the sample app, in the formats that can contain functions.
@Suite("Rewritten crash files")
struct RewrittenFileTests {
    private static let files = [
        "divide-by-zero.report.ips", "objc-block.report.ips", "async-resume.report.ips",
        "divide-by-zero.legacy.crash", "objc-block.legacy.crash", "async-resume.legacy.crash",
    ]

    @Test("only frames change", arguments: files)
    func golden(name: String) async throws {
        try expectGolden(
            await OrchardSymbols.written(try OrchardSymbols.fixture(name)).text, name)
    }

    @Test("a rewritten file is read like any other report", arguments: files)
    func text(name: String) async throws {
        let file = CrashFileReader().read(try OrchardSymbols.fixture(name))
        let texts = await OrchardSymbols.results(file).map { StackText().report(of: $0) }
        try expectGolden(texts.joined(), name + ".txt")
    }

    @Test("symbolicating a file again changes nothing", arguments: files)
    func again(name: String) async throws {
        let written = await OrchardSymbols.written(try OrchardSymbols.fixture(name))
        #expect(await OrchardSymbols.written(written) == written)
    }

    @Test("a rewritten file has the same frames", arguments: files)
    func frames(name: String) async throws {
        let before = try OrchardSymbols.fixture(name)
        let written = await OrchardSymbols.written(before)
        #expect(written != before)
        let (old, new) = (CrashFileReader().read(before), CrashFileReader().read(written))
        #expect(old.diagnostics.map(\.tree.frames) == new.diagnostics.map(\.tree.frames))
        #expect(old.diagnostics.map(\.details) == new.diagnostics.map(\.details))
    }

    /// The file rewritten with options.
    private func written(_ bytes: [UInt8], _ options: RewritingOptions) async -> [UInt8] {
        let file = CrashFileReader().read(bytes)
        let results = await OrchardSymbols.results(file)
        return zip(file.reports, results).flatMap { $0.edits(with: $1, options: options) }
            .applied(to: bytes)
    }

    @Test("full paths are written if requested, and kept", arguments: files)
    func fullPaths(name: String) async throws {
        let before = try OrchardSymbols.fixture(name)
        let (plain, full) = (
            await OrchardSymbols.written(before), await written(before, .fullPaths)
        )
        let folder = "/Users/ci/orchard/Orchard/"
        #expect(full.text.contains(folder) && !plain.text.contains(folder))
        #expect(full.text.replacing(folder, with: "").contains("Buttons.swift"))
        #expect(await written(full, .fullPaths) == full)
        #expect(await written(plain, .fullPaths) == full)
    }

    @Test(
        "path, column and linkage name are added to .ips records once if requested",
        arguments: files.prefix(3))
    func annotations(name: String) async throws {
        let before = try OrchardSymbols.fixture(name)
        let annotated = await written(before, .annotations)
        let record = #""symbolist": {"path":"/Users/ci/orchard/"#
        #expect(annotated.text.contains(record))
        #expect(await written(annotated, .annotations) == annotated)
        #expect(await written(annotated, []) == annotated)
        let plain = await OrchardSymbols.written(before)
        #expect(await written(plain, .annotations) == annotated)
    }

    @Test("a replaced name is kept in addition to the new one")
    func replaced() async throws {
        let before = try OrchardSymbols.fixture("divide-by-zero.report.ips").text
        let record = #""imageOffset": 17376"#
        try #require(before.contains(record))
        let named = before.replacing(
            record, with: record + #", "symbol": "pick", "symbolLocation": 9"#, maxReplacements: 1)
        let annotated = await written(bytes(named), .annotations).text
        #expect(annotated.contains(#""was":{"symbol":"pick","symbolLocation":9}}"#))
        #expect(annotated.contains(#""column":"#) && annotated.contains(#""mangled":"$s"#))
    }

    @Test("other formats cannot contain annotations", arguments: files.suffix(3))
    func noAnnotations(name: String) async throws {
        let before = try OrchardSymbols.fixture(name)
        #expect(await written(before, .annotations) == (await OrchardSymbols.written(before)))
    }

    @Test("CRLF line ends and a byte-order mark are kept")
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

    @Test("a file without symbols stays unchanged", arguments: files)
    func nothing(name: String) throws {
        let bytes = try OrchardSymbols.fixture(name)
        for report in CrashFileReader().read(bytes).reports {
            let result = SymbolicatedDiagnostic(
                kind: .crash, details: DiagnosticDetails(), status: .raw, culprit: nil,
                fingerprint: "", form: .threads, stacks: [], frames: [], images: [], remarks: [])
            #expect(report.edits(with: result).isEmpty)
        }
    }
}

import CallStacks
import Foundation
import JSONText
import LogExtraction
import Redaction
import ReportFixtures
import ReportFormats
import StackRendering
import SymbolStores
import Symbolication
import TestSupport
import Testing

@Suite("Redaction")
struct RedactionTests {
    static let levels = [RedactionLevel.standard, .strict]
    private static let symbols = LocalSymbolProvider(
        SymbolInventory(
            paths: ["orchard-1.4.0-arm64-release-dwarf4", "linux-swift-release"].map {
                projectFolder.appendingPathComponent("Symbols/\($0)").path
            }),
        cachedIn: nil)

    private func redacted(_ text: String, _ level: RedactionLevel) -> [UInt8] {
        FileRedaction(level).redacted(bytes(text), readAs: CrashFileReader().read(bytes(text)))
    }

    private func results(
        _ file: CrashFile, _ level: RedactionLevel
    ) async -> [SymbolicatedDiagnostic] {
        let symbolicator = Symbolicator(provider: Self.symbols, findsCallStarts: true)
        var results: [SymbolicatedDiagnostic] = []
        for report in file.reports {
            results.append(await symbolicator.symbolicate(report.resolved()).redacted(level))
        }
        return results
    }

    /// The report in each output format.
    private func written(_ text: String, _ level: RedactionLevel) async -> [String] {
        let redacted = redacted(text, level)
        let file = CrashFileReader().read(redacted)
        let results = await results(file, level)
        let edits = zip(file.reports, results).flatMap {
            $0.edits(with: $1, options: [.fullPaths, .annotations])
        }
        return [edits.applied(to: redacted).text]
            + results.compactMap { try? AppleCrashText(of: $0).text }
            + results.flatMap {
                [
                    StackText(usesFullPaths: true).report(of: $0), StackJSON().text(of: $0),
                    MarkdownReport(usesFullPaths: true).report(of: $0),
                ]
            }
    }

    @Test(
        "the contents of memory in a list of leaks are removed, and its sizes stay",
        arguments: levels)
    func leakedMemory(level: RedactionLevel) async throws {
        let text = """
            Process:         Orchard [431]
            leaks Report Version: 4.0, multi-line stacks

            STACK OF 1 INSTANCE OF 'ROOT LEAK: <malloc in main>':
            0   Orchard                                  0x104a30210 0x104a2c000 + 16912
            ====
                1 (32 bytes) ROOT LEAK: <NSString 0x7fec8b4025d0> [32]  length: 12  "Gala, Elstar"
            Leak: 0x1118c0e60  size=32  zone: DefaultMallocZone_0x1\tstring 'Gala'
            \t0x616c6147 0x6c45202c 0x72617473 0x00000000 \tGala, Elstar....

            """
        let redacted = redacted(text, level).text
        #expect(!redacted.contains("Gala") && !redacted.contains("0x616c6147"))
        #expect(
            redacted.contains("1 (32 bytes) ROOT LEAK: <NSString 0x7fec8b4025d0> [32]  redacted"))
        let report = try #require(CrashFileReader().read(bytes(text)).reports.first)
        let result = await Symbolicator(provider: Self.symbols).symbolicate(report.resolved())
        let details = result.redactedWithDetails(level).details
        #expect(!details.sections.flatMap(\.lines).joined().contains("Gala"))
    }

    @Test("private values are in no output format", arguments: PrivateReport.all, levels)
    func secrets(report: PrivateReport, level: RedactionLevel) async {
        let secrets =
            PrivateReport.secrets + (level == .strict ? PrivateReport.strictSecrets : [])
        for text in await written(report.text, level) {
            for secret in secrets {
                #expect(!text.contains(secret), "\(secret) in \(text)")
            }
        }
    }

    @Test(
        "the output shows what was redacted if its format has a place for that", arguments: levels)
    func note(level: RedactionLevel) async {
        for text in await written(PrivateReport.ips.text, level)
        where !text.hasPrefix("CrashReporter Key:") {
            #expect(text.contains("edacted") && text.contains(level.rawValue))
        }
    }

    @Test("redaction changes no frame", arguments: PrivateReport.all, levels)
    func frames(report: PrivateReport, level: RedactionLevel) async {
        let before = CrashFileReader().read(bytes(report.text))
        let after = CrashFileReader().read(redacted(report.text, level))
        #expect(!before.reports.isEmpty)
        #expect(before.diagnostics.map(\.tree.frames) == after.diagnostics.map(\.tree.frames))
        #expect(before.diagnostics.map(\.tree.stacks) == after.diagnostics.map(\.tree.stacks))
        #expect(
            before.diagnostics.map { $0.images.map(\.id) }
                == after.diagnostics.map { $0.images.map(\.id) })
        let (old, new) = (await results(before, .none), await results(after, level))
        #expect(old.map(\.fingerprint) == new.map(\.fingerprint))
        #expect(
            old.flatMap { $0.frames.map(\.function) } == new.flatMap { $0.frames.map(\.function) })
        #expect(
            old.flatMap { $0.frames.map(\.file?.name) }
                == new.flatMap { $0.frames.map(\.file?.name) })
    }

    @Test("redacting again changes nothing", arguments: PrivateReport.all, levels)
    func twice(report: PrivateReport, level: RedactionLevel) {
        let once = redacted(report.text, level).text
        #expect(redacted(once, level).text == once)
        #expect(redacted(report.text, .none).text == report.text)
    }

    @Test(
        "redacted JSON is valid",
        arguments: [PrivateReport.openTelemetry, .appStoreConnect, .ksCrash], levels)
    func json(report: PrivateReport, level: RedactionLevel) throws {
        let result = try JSONSerialization.jsonObject(with: Data(redacted(report.text, level)))
        #expect(result is [String: Any])
    }

    @Test("strings that debuggers print are redacted in any notation", arguments: levels)
    func debuggerStrings(level: RedactionLevel) {
        let frame =
            #"#1  0x0000555555555392 in pour (a=L"jane", b=0x5555 u8"jane", c=@"jane", d="", e="j\"ane") at C.cpp:9"#
            + "\n"
        let stack = "#0  0x0000555555555380 in crush () at C.cpp:2\n" + frame
        for text in [stack, PrivateReport.crash.text + "\n" + stack] {
            let result = redacted(text, level).text
            #expect(!result.contains("jane") && !result.contains("ane\""), "\(result)")
            #expect(result.contains("in pour (a=L\"redacted\""))
        }
        let quotes = String(repeating: "\"a\" ", count: 20_000)
        #expect(redacted(stack + quotes + "\n" + frame, level).text.contains("in pour"))
    }

    @Test("a panic in a report of another format hides no frame", arguments: levels)
    func foreignPanic(level: RedactionLevel) {
        let panic = "thread 'main' panicked at src/main.rs:4:5:\nboom\n\n"
        let apple = PrivateReport.crash.text.replacing(
            "Thread 0 Crashed:", with: "\(panic)Thread 0 Crashed:")
        let android = PrivateReport.android.text.replacing(
            "Abort message: '",
            with: "Abort message: 'thread '<unnamed>' panicked at src/lib.rs:4:5:")
        for text in [apple, android] {
            let before = CrashFileReader().read(bytes(text)).diagnostics
            let after = CrashFileReader().read(redacted(text, level)).diagnostics
            #expect(before.map(\.tree.frames) == after.map(\.tree.frames))
            #expect(!before.isEmpty && before.allSatisfy { !$0.tree.frames.isEmpty })
        }
    }

    @Test("a private number of OpenTelemetry becomes a string")
    func typedNumber() {
        let record = PrivateReport.openTelemetry.text.replacing(
            #""attributes":[{"key":"exception.message""#,
            with: #""attributes":[{"key":"user.id","value":{"intValue":"7"}},"#
                + #"{"key":"message","value":{"intValue":491701234567}},"#
                + #"{"key":"n","value":{"intValue":"491701234567"}},{"key":"exception.message""#)
        let text = redacted(record, .standard).text
        for key in ["user.id", "message"] {
            #expect(text.contains(#"{"key":"\#(key)","value":{"stringValue":"redacted"}}"#))
        }
        #expect(text.contains(#"{"intValue":"491701234567"}"#))
        #expect(CrashFileReader().read(bytes(text)).diagnostics.count == 1)
    }

    @Test("redacted reports match their goldens", arguments: PrivateReport.all, levels)
    func golden(report: PrivateReport, level: RedactionLevel) throws {
        try expectGolden(
            redacted(report.text, level).text,
            "Redacted/\(report.testDescription.replacing(" ", with: "-")).\(level.rawValue).txt")
    }

    @Test("only the runtime's part of a message remains at the strict level")
    func format() async {
        let file = CrashFileReader().read(redacted(PrivateReport.ips.text, .strict))
        #expect(await results(file, .strict).first?.exceptionMessage == "%@ fell")
    }

    @Test("log lines outside of reports are not redacted")
    func log() {
        let before = "info: jane@example.com\n", after = "GET /home/jane/a?key=8f2e11a7\n"
        let text = redacted(before + PrivateReport.swiftLog.text + after, .strict).text
        #expect(text.hasPrefix(before))
        #expect(text.hasSuffix(after))
        #expect(!text.dropFirst(before.count).dropLast(after.count).contains("jane"))
    }

    private static let stack = [
        "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000",
        "    #0 0x55f41410c38a  (/home/jane/cellar+0x238a)",
        "    #1 0x55f41410c4c7  (/home/jane/cellar+0x24c7)",
        "SUMMARY: AddressSanitizer: SEGV (/home/jane/cellar+0x238a)",
    ]

    @Test(
        "stacks in the records of a log are redacted",
        arguments: [
            stack.map { #"{"log":"\#($0)\n","stream":"stderr"}"# }.joined(separator: "\n") + "\n",
            #"{"level":"error","message":"it died:\n\#(stack.joined(separator: #"\n"#))\n"}"#
                + "\n",
        ])
    func records(log: String) {
        let text = redacted(log, .standard)
        #expect(!text.text.contains("jane"))
        #expect(CrashFileReader().read(text).diagnostics.first?.tree.frames.count == 2)
    }

    @Test("each of several JSON reports in a log is redacted")
    func objects() throws {
        let object = try #require(
            JSONDocument(bytes(String(PrivateReport.swiftObject.text.split(separator: "\n")[2])))
                .root?["log"]?.string)
        let text = redacted(
            "info: up\n\(object)main.swift:4: Fatal error: a@b.example\n\(object)", .strict
        )
        .text
        #expect(CrashFileReader().read(bytes(text)).reports.count == 2)
        for secret in ["jane", "feedface", "a@b"] { #expect(!text.contains(secret)) }
    }

    @Test("truncated JSON is redacted, and identities stay")
    func broken() {
        let whole = PrivateReport.ips.text
        let text = redacted(
            whole.replacing("\"asi\" :", with: "nonsense\n \"uuid\" : \"4c4c\",\n \"asi\" :"),
            .strict
        ).text
        #expect(text.contains("\"uuid\" : \"4c4c\""))
        for secret in ["D0D0CAFE", "jane", "8f2e11a7"] { #expect(!text.contains(secret)) }
    }

    @Test("reports of unsupported kinds are redacted")
    func refused() {
        let panic =
            #"{"bug_type":"210","os_version":"1"}"# + "\n"
            + #"{"panicString":"x","crashReporterKey":"D0D0CAFE"}"#
        #expect(!redacted(panic, .standard).text.contains("D0D0CAFE"))
        let text = "jane@example.com wrote no report"
        #expect(redacted(text, .strict).text == text)
    }

    @Test("a report truncated at any byte is redacted")
    func cut() {
        let whole = bytes(PrivateReport.ips.text)
        for end in stride(from: 0, to: whole.count, by: 7) {
            let text = redacted(whole[..<end].text, .strict).text
            if CrashFileReader().read(bytes(text)).reports.isEmpty { continue }
            #expect(!text.contains("jane"), "cut at \(end)")
        }
    }
}

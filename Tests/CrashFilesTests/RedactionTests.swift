import CallStacks
import Foundation
import JSONText
import StackRendering
import SymbolStores
import Symbolication
import TestSupport
import Testing

@testable import CrashFiles

@Suite("What is left out of reports")
struct RedactionTests {
    static let levels = [RedactionLevel.standard, .strict]
    private static let symbols = LocalSymbols(
        SymbolInventory(
            paths: ["orchard-1.4.0-arm64-release-dwarf4", "linux-swift-release"].map {
                projectFolder.appendingPathComponent("Symbols/\($0)").path
            }),
        cachedIn: nil)

    private func redacted(_ text: String, _ level: RedactionLevel) -> [UInt8] {
        FileRedaction(level).redacted(bytes(text), readAs: CrashFileReader().read(bytes(text)))
    }

    private func answers(_ file: CrashFile, _ level: RedactionLevel) async
        -> [SymbolicatedDiagnostic]
    {
        let symbolicator = Symbolicator(provider: Self.symbols, findsCallStarts: true)
        var answers: [SymbolicatedDiagnostic] = []
        for report in file.reports {
            answers.append(await symbolicator.symbolicate(report.resolved()).redacted(level))
        }
        return answers
    }

    /// The report in each form of an answer.
    private func written(_ text: String, _ level: RedactionLevel) async -> [String] {
        let redacted = redacted(text, level)
        let file = CrashFileReader().read(redacted)
        let answers = await answers(file, level)
        let edits = zip(file.reports, answers).flatMap {
            $0.edits(with: $1, options: [.fullPaths, .annotations])
        }
        return [edits.applied(to: redacted).text]
            + answers.compactMap { try? CrashForm(of: $0).text }
            + answers.flatMap {
                [
                    StackText(usesFullPaths: true).report(of: $0), StackJSON().text(of: $0),
                    MarkdownReport(usesFullPaths: true).report(of: $0),
                ]
            }
    }

    @Test("is in no form of an answer", arguments: PrivateReport.all, levels)
    func secrets(report: PrivateReport, level: RedactionLevel) async {
        let secrets =
            PrivateReport.secrets + (level == .strict ? PrivateReport.strictSecrets : [])
        for text in await written(report.text, level) {
            for secret in secrets {
                #expect(!text.contains(secret), "\(secret) in \(text)")
            }
        }
    }

    @Test("is said to be left out, where the form has a place for that", arguments: levels)
    func note(level: RedactionLevel) async {
        for text in await written(PrivateReport.ips.text, level)
        where !text.hasPrefix("CrashReporter Key:") {
            #expect(text.contains("edacted") && text.contains(level.rawValue))
        }
    }

    @Test("is no part of a frame", arguments: PrivateReport.all, levels)
    func frames(report: PrivateReport, level: RedactionLevel) async {
        let before = CrashFileReader().read(bytes(report.text))
        let after = CrashFileReader().read(redacted(report.text, level))
        #expect(!before.reports.isEmpty)
        #expect(before.diagnostics.map(\.tree.frames) == after.diagnostics.map(\.tree.frames))
        #expect(before.diagnostics.map(\.tree.stacks) == after.diagnostics.map(\.tree.stacks))
        #expect(
            before.diagnostics.map { $0.images.map(\.id) }
                == after.diagnostics.map { $0.images.map(\.id) })
        let (old, new) = (await answers(before, .none), await answers(after, level))
        #expect(old.map(\.fingerprint) == new.map(\.fingerprint))
        #expect(
            old.flatMap { $0.frames.map(\.function) } == new.flatMap { $0.frames.map(\.function) })
        #expect(
            old.flatMap { $0.frames.map(\.file?.name) }
                == new.flatMap { $0.frames.map(\.file?.name) })
    }

    @Test("stays left out, and nothing more goes", arguments: PrivateReport.all, levels)
    func twice(report: PrivateReport, level: RedactionLevel) {
        let once = redacted(report.text, level).text
        #expect(redacted(once, level).text == once)
        #expect(redacted(report.text, .none).text == report.text)
    }

    @Test(
        "leaves JSON that can be read",
        arguments: [PrivateReport.openTelemetry, .appStoreConnect, .ksCrash], levels)
    func json(report: PrivateReport, level: RedactionLevel) throws {
        let answer = try JSONSerialization.jsonObject(with: Data(redacted(report.text, level)))
        #expect(answer is [String: Any])
    }

    @Test("looks like this", arguments: PrivateReport.all, levels)
    func golden(report: PrivateReport, level: RedactionLevel) throws {
        try expectGolden(
            redacted(report.text, level).text,
            "Redacted/\(report.testDescription.replacing(" ", with: "-")).\(level.rawValue).txt")
    }

    @Test("is left of a message what the program wrote itself, in strict answers")
    func format() async {
        let file = CrashFileReader().read(redacted(PrivateReport.ips.text, .strict))
        #expect(await answers(file, .strict).first?.exceptionMessage == "%@ fell")
    }

    @Test("stays in the lines of a log that belong to no report")
    func log() {
        let before = "info: jane@example.com\n", after = "GET /home/jane/a?key=8f2e11a7\n"
        let text = redacted(before + PrivateReport.swiftLog.text + after, .strict).text
        #expect(text.hasPrefix(before))
        #expect(text.hasSuffix(after))
        #expect(!text.dropFirst(before.count).dropLast(after.count).contains("jane"))
    }

    @Test("goes from each of several reports in JSON, one after another in a log")
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

    @Test("goes from JSON that breaks off, and identities stay")
    func broken() {
        let whole = PrivateReport.ips.text
        let text = redacted(
            whole.replacing("\"asi\" :", with: "nonsense\n \"uuid\" : \"4c4c\",\n \"asi\" :"),
            .strict
        ).text
        #expect(text.contains("\"uuid\" : \"4c4c\""))
        for secret in ["D0D0CAFE", "jane", "8f2e11a7"] { #expect(!text.contains(secret)) }
    }

    @Test("goes from reports that are told and not read")
    func refused() {
        let panic =
            #"{"bug_type":"210","os_version":"1"}"# + "\n"
            + #"{"panicString":"x","crashReporterKey":"D0D0CAFE"}"#
        #expect(!redacted(panic, .standard).text.contains("D0D0CAFE"))
        let text = "jane@example.com wrote no report"
        #expect(redacted(text, .strict).text == text)
    }

    @Test("goes from a report wherever it is cut")
    func cut() {
        let whole = bytes(PrivateReport.ips.text)
        for end in stride(from: 0, to: whole.count, by: 7) {
            let text = redacted(whole[..<end].text, .strict).text
            if CrashFileReader().read(bytes(text)).reports.isEmpty { continue }
            #expect(!text.contains("jane"), "cut at \(end)")
        }
    }
}

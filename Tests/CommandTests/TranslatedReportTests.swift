import Foundation
import TestSupport
import Testing

/// A Mac's reports, which contain a text and the same report as JSON.
@Suite("symbolicate, a translated report with its full report", .ownThreads)
struct TranslatedReportTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private static let rule = String(repeating: "-", count: 37)

    /// Both halves of a report, as Console shows them.
    private func report() throws -> String {
        func text(_ name: String) throws -> String {
            String(
                decoding: try Orchard.bytes("\(Orchard.diagnostics)/divide-by-zero.\(name)"),
                as: UTF8.self)
        }
        return """
            \(Self.rule)
            Translated Report (Full Report Below)
            \(Self.rule)

            \(try text("legacy.crash"))
            -----------
            Full Report
            -----------

            \(try text("report.ips"))
            """
    }

    private func same(_ text: String, isPiped: Bool) throws -> Run {
        let file = try workspace.file("report.ips", text: text)
        return try workspace.symbolist(
            "symbolicate", isPiped ? "-" : file, "--format", "same", "--symbols",
            Orchard.absolute(Orchard.symbols), input: text)
    }

    @Test(
        "both halves have functions, and symbolicating the output changes nothing",
        arguments: [false, true])
    func both(isPiped: Bool) throws {
        let report = try report()
        let run = try same(report, isPiped: isPiped)
        #expect(run.status == 0)
        let parts = run.text.components(separatedBy: "Full Report\n-----------\n")
        try #require(parts.count == 2)
        #expect(parts[0].contains("weighHarvest(crates:) + 12 (Harvest.swift:65)\n"))
        #expect(!parts[0].contains(" 0x104a2c000 + "))
        #expect(parts[1].contains("\"symbol\": \"weighHarvest(crates:)\""))
        // The header and everything but the frames stay.
        let start = try #require(report.firstRange(of: "Thread 0")).lowerBound
        #expect(run.text.hasPrefix(report[..<start]))
        let again = try same(run.text, isPiped: isPiped)
        #expect(again.text == run.text)
    }

    @Test("the halves are one report in other formats")
    func one() throws {
        let file = try workspace.file("report.ips", text: try report())
        let run = try workspace.symbolist(
            "symbolicate", file, "--format", "json", "--symbols",
            Orchard.absolute(Orchard.symbols))
        #expect(try run.object()["culprit"] as? String != nil)
    }
}

import Foundation
import TestSupport
import Testing

/// `symbolist symbolicate --redact`, `--process` and `--annotate`, through the executable.
@Suite("symbolicate, redaction and processes", .ownThreads)
struct RedactTests {
    let workspace: Workspace
    let symbols = Orchard.absolute(Orchard.symbols)

    init() throws { workspace = try Workspace() }

    private static let report = SameFormTests.crash
        .replacing("Hardware Model:", with: "CrashReporter Key:   D0D0CAFE\nHardware Model:")
        .replacing("> /A", with: "> /Users/jane/A")
        .replacing(
            "\n\nThread 0 Crashed:",
            with: "\n\nApplication Specific Information:\nno orchid for jane@example.com\n\n"
                + "Thread 0 Crashed:")

    private func symbolicate(_ arguments: String..., input: String) throws -> Run {
        try workspace.run(
            executable.path, ["symbolicate", "-", "--symbols", symbols] + arguments, input: input,
            environment: [:], in: workspace.folder)
    }

    @Test(
        "output in every format is redacted and symbolicated as before",
        arguments: ["text", "json", "same"])
    func redact(format: String) throws {
        let plain = try symbolicate("--format", format, input: Self.report)
        let run = try symbolicate(
            "--format", format, "--redact", "default", "--full-paths", input: Self.report)
        #expect(run.status == 0)
        for secret in ["D0D0CAFE", "jane", "/Users/ci"] { #expect(!run.text.contains(secret)) }
        #expect(run.text.contains("orchid") == plain.text.contains("orchid"))
        #expect(run.text.contains("/Users/USER/orchard/Orchard/Mistakes.swift"))
        let strict = try symbolicate(
            "--format", format, "--redact", "strict", input: Self.report)
        #expect(!strict.text.contains("orchid"))
        #expect(strict.text.contains("Mistakes.swift"))
    }

    @Test("a file is redacted without symbols too, and JSON states that")
    func raw() throws {
        let path = try workspace.file("x.crash", text: Self.report)
        let same = try workspace.symbolist(
            "symbolicate", path, "--format", "same", "--redact", "default")
        #expect(same.text.contains("CrashReporter Key:   redacted\n"))
        let json = try workspace.symbolist(
            "symbolicate", path, "--format", "json", "--redact", "strict")
        #expect(try json.object()["redacted"] as? String == "strict")
        let plain = try workspace.symbolist("symbolicate", path, "--format", "json")
        #expect(try plain.object()["redacted"] == nil)
    }

    @Test("a process missing from a spindump is reported with those it contains")
    func process() throws {
        let dump = """
            Data Source:      Stackshots
            Command:          Orchard

            Process:          Orchard [431]

              Thread 0x1    1 samples (1-1)
              1  ??? (Orchard + 16912) [0x104a30210] 1

            Process:          Press [430]

              Thread 0x2    1 samples (1-1)
              1  ??? (Press + 16) [0x204a30210] 1

            """
        try workspace.file("x.txt", text: dump)
        let path = "x.txt"
        let run = try workspace.symbolist("symbolicate", path, "--process", "Cider")
        #expect(run.status == 3)
        #expect(
            run.problems == [
                "x.txt: has no process 'Cider': pass one of Orchard [431], Press [430]"
            ])
        let all = try workspace.symbolist(
            "symbolicate", path, "-q", "--process", "all", "--format", "json")
        #expect((try all.json() as? [Any])?.count == 2)
        let press = try workspace.symbolist("symbolicate", path, "-q", "--process", "430")
        #expect(press.text.contains("Process:      Press\n"))
    }
}

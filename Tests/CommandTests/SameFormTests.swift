import Foundation
import TestSupport
import Testing

/// `symbolist symbolicate --format same`, and logs that are piped through.
@Suite("symbolicate, in the format of the input", .ownThreads)
struct SameFormTests {
    let workspace: Workspace
    let symbols = Orchard.absolute(Orchard.symbols)

    init() throws { workspace = try Workspace() }

    /// A crash of the sample app as text, with identities in the image list.
    static let crash = """
        Hardware Model:      iPhone15,2
        Exception Type:  EXC_BREAKPOINT (SIGTRAP)

        Thread 0 Crashed:
        0   Orchard                       \t0x0000000104a30484 0x104a2c000 + 17540
        1   OrchardKit                    \t0x0000000105b44170 0x105b40000 + 16752

        Binary Images:
        0x104a2c000 - 0x104a3bfff Orchard arm64e  <4c4c448155553144a199bfceae3fe729> /A
        0x105b40000 - 0x105b4ffff OrchardKit arm64e  <4c4c44e355553144a1033964daaddc31> /K

        EOF

        """

    private func same(_ input: String, _ more: String...) throws -> Run {
        try workspace.run(
            executable.path, ["symbolicate", "-", "--format", "same", "--symbols", symbols] + more,
            input: input, environment: [:], in: workspace.folder)
    }

    @Test("only frames change, and symbolicating the output changes nothing")
    func frames() throws {
        let run = try same(Self.crash)
        #expect(run.status == 0)
        #expect(run.problems == [])
        let before = Self.crash.split(separator: "\n", omittingEmptySubsequences: false)
        let after = run.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(after.prefix(4) == before.prefix(4))
        #expect(after.suffix(7) == before.suffix(7))
        #expect(run.text.contains("0x0000000104a30484 pick(_:in:) + 36 (Mistakes.swift:34)\n"))
        #expect(run.text.contains("0x0000000105b44170 hash_weight + 12 (Index.c:16) [inlined]\n"))
        #expect(try same(run.text).text == run.text)
    }

    @Test(
        "a file and standard input have the same output in every format",
        arguments: ["text", "json", "same"])
    func fileAndPipe(format: String) throws {
        let file = try workspace.file("x.crash", text: Self.crash)
        let arguments = ["symbolicate", "--symbols", symbols, "--format", format]
        let named = try workspace.run(
            executable.path, arguments + [file], input: "", environment: [:], in: workspace.folder)
        let piped = try workspace.run(
            executable.path, arguments + ["-"], input: Self.crash, environment: [:],
            in: workspace.folder)
        #expect(named.text == piped.text)
        #expect(named.problems == [])
        #expect(named.status == 0)
    }

    @Test("--no-inline omits inlined calls")
    func withoutInlining() throws {
        let run = try same(Self.crash, "--no-inline")
        #expect(!run.text.contains("[inlined]"))
        #expect(run.text.contains("0x0000000105b44170 hash_row + 136 (Index.c:22)\n"))
    }

    @Test("--uuid sets the identity of an image by its name")
    func identity() throws {
        let line = "1   OrchardKit                    \t0x0000000105b44170 0x105b40000 + 16752\n"
        #expect(try same(line).text == line)
        let run = try same(line, "--uuid", "OrchardKit=\(Orchard.kitID)")
        #expect(run.text.contains("hash_row"))
    }

    @Test("without symbols no byte changes, and a file without a report is copied and ends with 3")
    func unchanged() throws {
        let text = "caf\u{e9}\r\n\t{ no report"
        let bytes = Data(text.utf8) + Data([0xff, 0, 0x0a])
        let file = try workspace.file("README", bytes)
        for format in ["same", "text"] {
            let run = try workspace.symbolist("symbolicate", file, "--format", format)
            #expect(run.output == bytes)
            #expect(run.status == 3)
        }
        let kept = try workspace.symbolist("symbolicate", file, "--format", "same", "-o", "kept")
        #expect(kept.status == 3)
        #expect(try Data(contentsOf: workspace.folder.appendingPathComponent("kept")) == bytes)
        try workspace.file("x.crash", text: Self.crash)
        let raw = try workspace.symbolist("symbolicate", "x.crash", "--format", "same")
        #expect(raw.text == Self.crash)
        #expect(raw.status == 0)
    }

    @Test("each line of a log is written before the next one arrives")
    func log() throws {
        let run = try workspace.shell(
            """
            mkfifo in out
            symbolist symbolicate - --format same --symbols "$SYMBOLS" < in > out 2> err &
            exec 3> in 4< out
            echo first >&3; read line <&4; echo "got $line"
            echo second >&3; read line <&4; echo "got $line"
            exec 3>&-; wait $!; echo "status $?"; cat <&4
            """, environment: ["SYMBOLS": symbols])
        #expect(run.text == "got first\ngot second\nstatus 0\n")
    }

    @Test("a report keeps its position between the lines of a log, which JSON omits")
    func place() throws {
        let trace = """
            *** Program crashed: Illegal instruction at 0x0000000000401000 ***

            Thread 0 "orchard" crashed:

            0 0x0000000000401000

            Images:

            0x0000000000400000–0x0000000000402000 58c59e1e0b84bfb608500aab85635a597b6fd64b orchard /o

            Backtrace took 0.01s

            """
        let log = "before\n\(trace)after\n"
        #expect(try same(log).text == log)
        let text = try workspace.symbolist("symbolicate", input: log)
        #expect(text.text.hasPrefix("before\nSIGILL: Illegal instruction"))
        #expect(text.text.hasSuffix("\nafter\n"))
        let json = try workspace.symbolist("symbolicate", "--format", "json", input: log)
        #expect(try json.object()["kind"] as? String == "crash")
    }
}

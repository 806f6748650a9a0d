import Foundation
import TestSupport
import Testing

@testable import symbolist

/// Colour, progress, and readers that stop early.
@Suite("Terminal", .ownThreads)
struct TerminalTests {
    let workspace: Workspace
    let symbols = Orchard.absolute(Orchard.symbols)
    let crash = Orchard.absolute(Orchard.crash)

    init() throws { workspace = try Workspace() }

    @Test("colour is used on terminals only, and not with NO_COLOR or a dumb terminal")
    func colour() throws {
        let arguments = ["symbolicate", crash, "--symbols", symbols]
        #expect(try onTerminal(arguments).contains("\u{1b}["))
        #expect(try onTerminal(arguments, ["NO_COLOR": ""]).contains("\u{1b}["))
        #expect(try !onTerminal(arguments, ["NO_COLOR": "1"]).contains("\u{1b}["))
        #expect(try !onTerminal(arguments, ["TERM": "dumb"]).contains("\u{1b}["))
        #expect(try !onTerminal(arguments + ["--color", "never"]).contains("\u{1b}["))
        let lookup = ["lookup", "--symbols", symbols, Orchard.kitID, "0x4170"]
        #expect(try onTerminal(lookup).contains("\u{1b}["))
        #expect(try !onTerminal(lookup + ["--json"]).contains("\u{1b}["))

        let file = try workspace.symbolist("symbolicate", crash, "--symbols", symbols)
        #expect(!file.text.contains("\u{1b}["))
        let forced = try workspace.symbolist(
            "symbolicate", crash, "--symbols", symbols, "--color", "always")
        #expect(forced.text.contains("\u{1b}["))
    }

    @Test(
        "a closed pipe ends a run quietly with 0",
        arguments: [
            "symbolicate \"$CRASH\" --symbols \"$SYMBOLS\"",
            "symbolicate \"$CRASH\" --symbols \"$SYMBOLS\" --format json",
            "inspect \"$SYMBOLS\"", "index dump \"$KIT\"", "--help",
            "lookup --symbols \"$SYMBOLS\" \(Orchard.kitID) 0x4170",
        ])
    func closedPipe(command: String) throws {
        // The reader exits before the first byte is written.
        let run = try workspace.shell(
            "mkfifo p; head -c 0 < p & { sleep 0.3; exec symbolist \(command); } > p",
            environment: [
                "CRASH": crash, "SYMBOLS": symbols, "KIT": Orchard.absolute(Orchard.kit),
            ])
        #expect(run.problems == [])
        #expect(run.status == 0)
    }

    @Test("a long run shows its progress on a terminal, in one line that is removed again")
    func progress() throws {
        // The first file does not end before the line is shown.
        let run = try workspace.shell(
            """
            mkfifo p
            script -qefc 'symbolist symbolicate p "$CRASH" --symbols "$SYMBOLS" > out' tty < /dev/null &
            exec 3> p
            for i in $(seq 600); do grep -q '0 of 2 files' tty && break; sleep 0.1; done
            cat "$CRASH" >&3; exec 3>&-; wait $!; cat out tty
            """, environment: ["CRASH": crash, "SYMBOLS": symbols])
        #expect(run.text.contains("0 of 2 files\r\u{1b}[K"))
        #expect(run.text.contains("2 files, 2 reports: 2 symbolicated"))
        #expect(run.text.contains("==> p <==\nIndex out of range"))
    }

    @Test("on a terminal, missing symbols come with the commands that supply them")
    func supply() throws {
        let app = Orchard.absolute(Orchard.app)
        let text = try onTerminal(["symbolicate", crash, "--symbols", app, "--color", "never"])
        #expect(text.contains(" on a Mac, and add them:\r\n  mdfind "))
        #expect(text.contains("  symbolist symbolicate \(crash) --symbols PATH\r\n"))
        #expect(!text.contains("pass its dSYM"))
        let file = try workspace.symbolist("symbolicate", crash, "--symbols", app)
        #expect(!file.text.contains("To find"))
    }

    @Test("text of unknown origin is shown without characters that control a terminal")
    func shownText() {
        let text = "a\u{7f}\u{9b}\u{202e}\u{f700}\tb"
        #expect(Console.oneLine(text) == "a\u{fffd}\u{fffd}\u{fffd}\u{fffd} b")
        #expect(UploadText.padded(text, to: 9) == Console.oneLine(text) + "  ")
        let long = String(repeating: "é", count: 5_000)
        #expect(Console.oneLine(long) == long)
    }

    @Test("a full disk is a failure")
    func fullDisk() throws {
        let run = try workspace.shell("symbolist --help > /dev/full")
        #expect(run.status == 1)
        #expect(run.problems == ["standard output: cannot be written: no space left on device"])
    }

    /// Returns the output of the executable on a terminal created by `script`.
    private func onTerminal(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> String {
        let command = ([executable.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let run = try workspace.run(
            "/usr/bin/script", ["-qec", command, "/dev/null"], input: "",
            environment: environment, in: workspace.folder)
        #expect(run.status == 0)
        return run.text
    }
}

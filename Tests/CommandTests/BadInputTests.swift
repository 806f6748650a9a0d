import Foundation
import TestSupport
import Testing

/// Unusable inputs and symbols. Each results in one line and the right exit code, and the rest is
/// processed.
@Suite("Bad input", .ownThreads)
struct BadInputTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// An unreadable diagnostic, the expected message and the exit code.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: Data
        let problem: String
        let status: Int32

        var testDescription: String { name }
    }

    /// The suggestion for files without a report.
    static let suggestion =
        "use a crash, hang or backtrace file; 'symbolist symbolicate --help' lists the formats"

    static let inputs: [Case] = {
        let crash = (try? Orchard.bytes(Orchard.crash)) ?? Data()
        let deep =
            String(repeating: "{\"a\":", count: 100_000) + "1"
            + String(repeating: "}", count: 100_000)
        return [
            Case(
                name: "empty", bytes: Data(),
                problem: "is empty: pass a crash, hang or backtrace file", status: 3),
            Case(
                name: "text", bytes: Data("hello\n".utf8),
                problem: "is not a supported report (begins with \"hello\"): \(suggestion)",
                status: 3),
            Case(
                name: "other JSON", bytes: Data("{\"a\": 1}".utf8),
                problem: "json: has an unknown structure: \(suggestion)", status: 3),
            Case(
                name: "zeros", bytes: Data(repeating: 0, count: 5000),
                problem: "is not a supported report (begins with \""
                    + String(repeating: "?", count: 80) + "\"): \(suggestion)", status: 3),
            Case(
                name: "cut", bytes: crash.prefix(300),
                problem: "json+0x12c: text ends inside a value: pass the whole file", status: 1),
            Case(
                name: "deep", bytes: Data(deep.utf8),
                problem: "json+0x50000: nests deeper than 65536 levels: the rest is read",
                status: 1),
            Case(
                name: "number out of range", bytes: Data(numberOutOfRange.utf8),
                problem: "a number is out of range and was dropped: the rest is read",
                status: 1),
        ]
    }()

    private static let numberOutOfRange = """
        {"callStackTree": {"callStackPerThread": true, "callStacks": [{"threadAttributed": true,
        "callStackRootFrames": [{"binaryUUID": "\(Orchard.kitID)", "binaryName": "OrchardKit",
        "offsetIntoBinaryTextSegment": 99999999999999999999999999, "address": 1}]}]}}
        """

    @Test("an unreadable diagnostic is one line", arguments: inputs)
    func input(_ input: Case) throws {
        try workspace.file("input", input.bytes)
        let symbols = Orchard.absolute(Orchard.symbols)
        let alone = try workspace.symbolist("symbolicate", "input", "--symbols", symbols)
        #expect(alone.status == input.status)
        #expect(alone.problems == ["input: \(input.problem)"])

        let crash = Orchard.absolute(Orchard.crash)
        let both = try workspace.symbolist(
            "symbolicate", "input", crash, "--symbols", symbols)
        #expect(both.status == 1)
        #expect(both.problems.first == "input: \(input.problem)")
        #expect(both.problems.count == 2)
        #expect(both.problems.last?.hasPrefix("2 files, ") == true)
        #expect(both.text.contains("pick(_:in:) + 36"))
    }

    @Test("a report of an unsupported kind in a stream is named beside one that is read")
    func unsupported() throws {
        let panic = """
            thread 'main' panicked at shelf.rs:2:5:
            jammed
            stack backtrace:
               0: shelf::pour
                         at ./shelf.rs:2:5
            note: Some details are omitted.

            """
        let jetsam = "{\"bug_type\":\"298\"}\n{\"memoryStatus\":{},\"processes\":[]}\n"
        let run = try workspace.symbolist("symbolicate", "-", input: panic + jetsam)
        #expect(run.status == 1)
        #expect(run.text.contains("shelf::pour"))
        #expect(run.problems.contains { $0.hasPrefix("standard input: jetsam report: ") })
    }

    @Test("empty standard input is a success, because a filter may get logs without a crash")
    func emptyPipe() throws {
        let run = try workspace.symbolist("symbolicate", "-", input: "just a log line\n")
        #expect(run.status == 0)
        #expect(run.text == "just a log line\n")
        #expect(
            run.problems == ["standard input: contains no crash or hang report: \(Self.suggestion)"]
        )
    }

    @Test("missing files and folders without a report are one line each")
    func paths() throws {
        try workspace.file("folder/x", text: "x")
        let run = try workspace.symbolist("symbolicate", "nosuch.json", "folder", "folder/x/y")
        #expect(run.status == 1)
        #expect(
            run.problems == [
                "nosuch.json: no such file: check the path",
                "folder: no crash or hang report in 1 file: \(Self.suggestion)",
                "folder/x/y: no such file: check the path",
                "3 files, 0 reports; 1 file without a report; 2 files not read completely",
            ])
    }

    @Test("unusable symbols are one line, and the report is still written")
    func symbols() throws {
        let crash = Orchard.absolute(Orchard.crash)
        let kit = try Orchard.bytes(Orchard.kitFile)
        try workspace.file("notes.txt", text: "not a debug file")
        try workspace.file("empty", Data())
        try workspace.file("cut", kit.prefix(3000))
        try workspace.file("folder/notes.txt", text: "x")
        try workspace.file("empty.zip", Data(ZipBuilder().bytes()))
        try workspace.file("cut.zip", try Orchard.bytes(Orchard.archive).prefix(100))
        try workspace.file("bundles/Empty.dSYM/Contents/Info.plist", text: "x")
        try workspace.file("bundles/Zero.dSYM", Data())
        let anything = "use a dSYM, a debug file, or a folder of them"
        let cases: [(path: String, problems: [String], status: Int32)] = [
            ("nosuch", ["nosuch: no such file or folder: check the path"], 1),
            (
                "notes.txt",
                ["notes.txt: is not a Mach-O or ELF file: use a dSYM or a debug file"], 1
            ),
            ("empty", ["empty: is empty: build or download it again"], 1),
            (
                "cut",
                [
                    "cut: is truncated (file+0x20: needs 3152 bytes, has 2968): "
                        + "build or download it again"
                ], 1
            ),
            (
                "empty.zip",
                [
                    "empty.zip: contains no debug file: use an archive of dSYMs or debug files"
                ], 0
            ),
            (
                "cut.zip",
                [
                    "cut.zip/Orchard.app.dSYM/Contents/Info.plist: is truncated: build or download it again"
                ], 1
            ),
            ("folder", ["folder: contains no debug file: \(anything)"], 0),
            (
                "bundles",
                [
                    "bundles/Zero.dSYM: bundle contains no debug file: build or download it again",
                    "bundles/Empty.dSYM: bundle contains no debug file: build or download it again",
                    "bundles: contains no debug file: \(anything)",
                ], 0
            ),
        ]
        for (path, problems, status) in cases {
            let run = try workspace.symbolist("symbolicate", crash, "--symbols", path)
            #expect(run.problems == problems)
            #expect(run.status == status, "\(path)")
            #expect(run.text.contains("0 of 9 app frames"))
        }
    }

    @Test("a damaged file does not affect an intact one next to it")
    func damageBesideGood() throws {
        try workspace.copy(Orchard.symbols, to: "symbols/good")
        try workspace.file("symbols/cut", try Orchard.bytes(Orchard.kitFile).prefix(3000))
        try workspace.file("symbols/Some.class", Data([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52]))
        let run = try workspace.symbolist(
            "symbolicate", Orchard.absolute(Orchard.crash), "--symbols", "symbols")
        #expect(run.status == 0)
        #expect(run.problems.count == 1)
        #expect(run.problems.first?.hasPrefix("symbols/cut: is truncated") == true)
        #expect(run.text.contains("9 of 9 app frames"))
    }

    @Test("control characters in a name do not reach the terminal")
    func controlCharacters() throws {
        let run = try workspace.symbolist("symbolicate", "a\u{1b}[31m\nb.json")
        #expect(
            run.problems == ["a\u{fffd}[31m b.json: no such file: check the path"])
    }

    /// Whether tests can run as another user. Root can read everything.
    static let canRunAsNobody: Bool = {
        guard let workspace = try? Workspace() else { return false }
        return (try? workspace.asNobody("./symbolist --version"))?.status == 0
    }()

    @Test(
        "an unreadable folder and an unreadable file are one line each",
        .enabled(if: canRunAsNobody))
    func permissions() throws {
        try workspace.copy(Orchard.app, to: "symbols/open/Orchard.app.dSYM")
        try workspace.copy(Orchard.kit, to: "symbols/locked/OrchardKit.dSYM")
        try workspace.copy(Orchard.crash, to: "crash.json")
        try workspace.copy(Orchard.crash, to: "locked.json")
        let run = try workspace.asNobody(
            "chmod 0 symbols/locked locked.json; "
                + "./symbolist symbolicate locked.json crash.json --symbols symbols; status=$?; "
                + "chmod 700 symbols/locked; exit $status")
        #expect(run.status == 1)
        #expect(
            run.problems.prefix(2) == [
                "symbols/locked: permission denied: check its permissions",
                "locked.json: permission denied: check its permissions",
            ])
        try #require(run.problems.count > 2)
        #expect(run.problems[2].hasPrefix("crash.json: 6 of 9 app frames; missing:"))
        #expect(run.problems.last == "2 files, 1 report: 1 partial; 1 file not read completely")
        #expect(run.text.contains("pick(_:in:) + 36"))
    }
}

extension Workspace {
    /// Runs a shell command in the folder as an unprivileged user, with a copy of the executable.
    func asNobody(_ line: String) throws -> Run {
        try FileManager.default.copyItem(
            at: executable, to: folder.appendingPathComponent("symbolist"))
        let owner = "chmod -R a+rX . && chmod 777 . && chown -R 65534:65534 ."
        let drop = "setpriv --reuid=65534 --regid=65534 --clear-groups"
        let program = try file("line.sh", text: line)
        return try shell(
            "if [ $(id -u) = 0 ]; then \(owner) && exec \(drop) sh \(program); fi; exec sh \(program)"
        )
    }
}

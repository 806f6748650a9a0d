import Foundation
import TestSupport
import Testing

/// Inputs and symbols that cannot be used: one line each, the right exit code, and everything else
/// answered.
@Suite("Bad input")
struct BadInputTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// A diagnostic that cannot be read, what is said of it, and how the run ends.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: Data
        let problem: String
        let status: Int32

        var testDescription: String { name }
    }

    /// All that can be read, as the messages list it.
    static let formats =
        "give Apple's .ips, .crash text, spindump and hang text, text of 'sample', MetricKit or OTLP "
        + "JSON, App Store Connect logs, KSCrash JSON, Swift backtraces, their JSON, Android "
        + "tombstones, callStackSymbols lines or lines of 'UUID OFFSET'"

    static let inputs: [Case] = {
        let crash = (try? Orchard.bytes(Orchard.crash)) ?? Data()
        let deep =
            String(repeating: "{\"a\":", count: 100_000) + "1"
            + String(repeating: "}", count: 100_000)
        return [
            Case(
                name: "empty", bytes: Data(),
                problem: "is empty: give a crash, hang or backtrace file", status: 3),
            Case(
                name: "text", bytes: Data("hello\n".utf8),
                problem: "holds no report that can be read, it begins with \"hello\": \(formats)",
                status: 3),
            Case(
                name: "other JSON", bytes: Data("{\"a\": 1}".utf8),
                problem: "json: has a shape that is not known: \(formats)", status: 3),
            Case(
                name: "zeros", bytes: Data(repeating: 0, count: 5000),
                problem: "holds no report that can be read, it begins with \""
                    + String(repeating: "?", count: 80) + "\": \(formats)", status: 3),
            Case(
                name: "cut", bytes: crash.prefix(300),
                problem: "json+0x12c: text ends inside a value: give the whole file", status: 1),
            Case(
                name: "deep", bytes: Data(deep.utf8),
                problem: "json+0x50000: nests deeper than 65536 levels: the rest is answered",
                status: 1),
            Case(
                name: "number out of range", bytes: Data(numberOutOfRange.utf8),
                problem: "a number is out of range and was left out: the rest is answered",
                status: 1),
        ]
    }()

    private static let numberOutOfRange = """
        {"callStackTree": {"callStackPerThread": true, "callStacks": [{"threadAttributed": true,
        "callStackRootFrames": [{"binaryUUID": "\(Orchard.kitID)", "binaryName": "OrchardKit",
        "offsetIntoBinaryTextSegment": 99999999999999999999999999, "address": 1}]}]}}
        """

    @Test("a diagnostic that cannot be read is one line", arguments: inputs)
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

    @Test("nothing on standard input is no failure: a filter may meet logs without a crash")
    func emptyPipe() throws {
        let run = try workspace.symbolist("symbolicate", "-", input: "just a log line\n")
        #expect(run.status == 0)
        #expect(run.text == "just a log line\n")
        #expect(
            run.problems == ["standard input: holds no crash or hang report: \(Self.formats)"])
    }

    @Test("missing files and a folder without a report are one line each")
    func paths() throws {
        try workspace.file("folder/x", text: "x")
        let run = try workspace.symbolist("symbolicate", "nosuch.json", "folder", "folder/x/y")
        #expect(run.status == 1)
        #expect(
            run.problems == [
                "nosuch.json: no such file: give a path that exists",
                "folder: holds no crash or hang report in 1 file: \(Self.formats)",
                "folder/x/y: no such file: give a path that exists",
                "3 files, 0 reports; 1 file without a report; 2 files not read whole",
            ])
    }

    @Test("symbols that cannot be used are one line, and the report is written all the same")
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
        let anything = "give a dSYM, a debug file, or a folder of them"
        let cases: [(path: String, problems: [String], status: Int32)] = [
            ("nosuch", ["nosuch: no such file or folder: give a path that exists"], 1),
            (
                "notes.txt",
                ["notes.txt: is neither Mach-O nor ELF: give a dSYM or a debug file"], 1
            ),
            ("empty", ["empty: is empty: build or download it again"], 1),
            (
                "cut",
                [
                    "cut: is cut short (file+0x20: needs 3152 bytes, has 2968): "
                        + "build or download it again"
                ], 1
            ),
            (
                "empty.zip",
                ["empty.zip: holds no debug file: give an archive of dSYMs or debug files"], 1
            ),
            (
                "cut.zip",
                [
                    "cut.zip/Orchard.app.dSYM/Contents/Info.plist: is cut short: build or download it again"
                ], 1
            ),
            ("folder", ["folder: holds no debug file: \(anything)"], 0),
            (
                "bundles",
                [
                    "bundles/Zero.dSYM: bundle holds no debug file: build or download it again",
                    "bundles/Empty.dSYM: bundle holds no debug file: build or download it again",
                    "bundles: holds no debug file: \(anything)",
                ], 0
            ),
        ]
        for (path, problems, status) in cases {
            let run = try workspace.symbolist("symbolicate", crash, "--symbols", path)
            #expect(run.problems == problems)
            #expect(run.status == status, "\(path)")
            #expect(run.text.contains("0 of 9 frames of the app"))
        }
    }

    @Test("a damaged file beside a good one costs nothing")
    func damageBesideGood() throws {
        try workspace.copy(Orchard.symbols, to: "symbols/good")
        try workspace.file("symbols/cut", try Orchard.bytes(Orchard.kitFile).prefix(3000))
        try workspace.file("symbols/Some.class", Data([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52]))
        let run = try workspace.symbolist(
            "symbolicate", Orchard.absolute(Orchard.crash), "--symbols", "symbols")
        #expect(run.status == 0)
        #expect(run.problems.count == 1)
        #expect(run.problems.first?.hasPrefix("symbols/cut: is cut short") == true)
        #expect(run.text.contains("9 of 9 frames of the app"))
    }

    @Test("a name with control characters cannot speak to the terminal")
    func controlCharacters() throws {
        let run = try workspace.symbolist("symbolicate", "a\u{1b}[31m\nb.json")
        #expect(
            run.problems == ["a\u{fffd}[31m b.json: no such file: give a path that exists"])
    }

    /// The super-user may read everything, so the run must be somebody else's.
    static let canRunAsNobody: Bool = {
        guard let workspace = try? Workspace() else { return false }
        return (try? workspace.asNobody("./symbolist --version"))?.status == 0
    }()

    @Test("a folder and a file without permission are one line each", .enabled(if: canRunAsNobody))
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
        #expect(run.problems[2].hasPrefix("crash.json: 6 of 9 app frames; missing:"))
        #expect(run.problems.last == "2 files, 1 report: 1 partial; 1 file not read whole")
        #expect(run.text.contains("pick(_:in:) + 36"))
    }
}

extension Workspace {
    /// Runs a line of shell in the folder, as a user without privileges; the executable is there.
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

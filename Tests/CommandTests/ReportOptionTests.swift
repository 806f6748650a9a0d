import Foundation
import TestSupport
import Testing

/// Options of `symbolist symbolicate` that affect how a report is read.
@Suite("symbolicate, options about reports", .ownThreads)
struct ReportOptionTests {
    let workspace: Workspace
    let symbols = Orchard.absolute(Orchard.symbols)

    init() throws {
        workspace = try Workspace()
        // The image list has another build of the app.
        let other = SameFormTests.crash.replacing(
            "4c4c448155553144a199bfceae3fe729", with: "00000000000000000000000000000001")
        try workspace.file("x.crash", text: other)
    }

    private static let id = "4C4C4481-5555-3144-A199-BFCEAE3FE729"

    @Test("--uuid NAME=UUID! overrides the report, and every output states that")
    func override() throws {
        for format in ["text", "json", "markdown", "same", "crash"] {
            let run = try workspace.symbolist(
                "symbolicate", "x.crash", "--symbols", symbols, "--format", format, "--uuid",
                "Orchard=\(Self.id)!")
            #expect(run.text.contains("pick(_:in:)"), "\(format)")
            let said = run.text + run.problems.joined()
            #expect(
                said.contains("by the given UUID") || said.contains("identity_overridden"),
                "\(format)")
        }
        let stated = try workspace.symbolist(
            "symbolicate", "x.crash", "--symbols", symbols, "--uuid", "Orchard=\(Self.id)")
        #expect(!stated.text.contains("pick(_:in:)"))
        let unused = try workspace.symbolist(
            "symbolicate", Orchard.absolute(Orchard.report), "--symbols", symbols, "--uuid",
            "Orchard=\(Self.id)!")
        #expect(!unused.text.contains("identity_overridden"))
    }

    @Test("--in-app and --not-in-app take precedence over all rules")
    func inApp() throws {
        func marks(_ arguments: [String]) throws -> [String: Bool] {
            let run = try workspace.run(
                executable.path,
                ["symbolicate", "x.crash", "--symbols", symbols, "--format", "json"] + arguments,
                input: "", environment: [:], in: workspace.folder)
            let threads = try run.object()["threads"] as? [[String: Any]] ?? []
            let frames = threads.flatMap { $0["frames"] as? [[String: Any]] ?? [] }
            let pairs = frames.compactMap { frame -> (String, Bool)? in
                guard let image = frame["image"] as? String, let mark = frame["in_app"] as? Bool
                else { return nil }
                return (image, mark)
            }
            return Dictionary(pairs) { first, _ in first }
        }
        #expect(try marks([]) == ["Orchard": true, "OrchardKit": true])
        #expect(try marks(["--not-in-app", "*Kit"]) == ["Orchard": true, "OrchardKit": false])
        #expect(
            try marks(["--in-app", "Orchard", "--not-in-app", "Orch*"])
                == ["Orchard": true, "OrchardKit": false])
    }

    @Test("--details adds registers and other details that text alone omits")
    func details() throws {
        let registers = """
            Thread 0 crashed with ARM Thread State (64-bit):
                x0: 0x000000000000002a   x1: 0x0000600001d291b0

            Binary Images:
            """
        try workspace.file(
            "y.crash",
            text: SameFormTests.crash.replacing("Binary Images:", with: registers)
                .replacing("EOF", with: "VM Region Summary:\nWritable regions: Total=541.4M"))
        for (more, isShown) in [([], false), (["--details"], true)] as [([String], Bool)] {
            let run = try workspace.run(
                executable.path, ["symbolicate", "y.crash", "--symbols", symbols] + more, input: "",
                environment: [:], in: workspace.folder)
            #expect(run.text.contains("x1: 0x0000600001d291b0") == isShown)
            #expect(run.text.contains("Writable regions: Total=541.4M") == isShown)
        }
    }

    @Test("debug files among the inputs are used as symbols, next to reports and alone")
    func symbolsAmongInputs() throws {
        try workspace.copy(Orchard.app, to: "folder/Orchard.app.dSYM")
        try workspace.copy(Orchard.kit, to: "folder/OrchardKit.framework.dSYM")
        try workspace.file("folder/x.crash", text: SameFormTests.crash)
        let zip = try workspace.shell("cd folder && zip -qr ../all.zip .")
        #expect(zip.status == 0)
        for inputs in [
            ["folder"], ["all.zip"],
            ["folder/x.crash", "folder/Orchard.app.dSYM", "folder/OrchardKit.framework.dSYM"],
            ["folder/x.crash", "folder/Orchard.app.dSYM/Contents/Resources/DWARF/Orchard"],
        ] {
            let run = try workspace.run(
                executable.path, ["symbolicate"] + inputs, input: "", environment: [:],
                in: workspace.folder)
            #expect(run.text.contains("pick(_:in:)"), "\(inputs)")
            #expect(run.status == 0, "\(inputs): \(run.problems)")
        }
    }

    @Test("a misspelt command gets a suggestion, an unrelated word does not")
    func suggestion() throws {
        let near = try workspace.symbolist("symbolcate", "x.crash")
        #expect(near.status == 2)
        #expect(
            near.problems == [
                "symbolist: unknown command 'symbolcate' (did you mean 'symbolicate'?): see 'symbolist --help'"
            ])
        #expect(try !workspace.symbolist("frobnicate").problems.joined().contains("did you mean"))
    }

    @Test("the help of an unknown command is an error")
    func helpOfUnknown() throws {
        let run = try workspace.symbolist("help", "lookupp")
        #expect(run.status == 2)
        #expect(run.text.isEmpty)
        #expect(
            run.problems == [
                "symbolist: unknown command 'lookupp' (did you mean 'lookup'?): see 'symbolist --help'"
            ])
        #expect(
            try workspace.symbolist("help", "symbols", "lst").problems.first?
                .hasPrefix("symbolist symbols: unknown command 'lst'") == true)
        for words in [["help"], ["help", "lookup"], ["help", "symbols", "list"]] {
            let help = try workspace.run(
                executable.path, words, input: "", environment: [:], in: workspace.folder)
            #expect(help.status == 0 && !help.text.isEmpty, "\(words)")
        }
    }

    @Test("patterns for images and a process that no report has are named, but not with --quiet")
    func unusedChoices() throws {
        let arguments = [
            "symbolicate", "x.crash", "--in-app", "Orch*", "--in-app", "Shop", "--not-in-app",
            "/K", "--not-in-app", "/opt/*", "--process", "Shop",
        ]
        func problems(_ more: String...) throws -> [String] {
            let run = try workspace.run(
                executable.path, arguments + more, input: "", environment: [:],
                in: workspace.folder)
            #expect(run.status == 0)
            return run.problems.filter { $0.hasPrefix("--") }
        }
        #expect(
            try problems() == [
                "--in-app Shop: no image has this name or path: leave it out, or use '*' at either end",
                "--not-in-app /opt/*: no image has this name or path: leave it out, or use '*' at either end",
                "--process: no report is a spindump or a stackshot: leave it out",
            ])
        #expect(try problems("--quiet") == [])
    }

    @Test("the line of an unreadable value is named if a file has several values")
    func badLine() throws {
        let crash = String(decoding: try Orchard.bytes(Orchard.crash), as: UTF8.self)
            .replacing("\n", with: " ")
        let file = try workspace.file(
            "lines.json", text: [crash, "{\"bad\": tru", crash].joined(separator: "\n"))
        let symbolicated = try workspace.symbolist("symbolicate", file, "-q")
        #expect(symbolicated.status == 1)
        #expect(symbolicated.problems.count == 1)
        #expect(symbolicated.problems.first?.hasPrefix("\(file): line 2: json+0x") == true)
        let converted = try workspace.symbolist("convert", file)
        #expect(converted.status == 1)
        #expect(
            converted.problems.first
                == "\(file): line 2: payload: unknown_shape: not converted")
    }

    @Test("--quiet omits the hint that no symbols were given")
    func quiet() throws {
        let loud = try workspace.symbolist("symbolicate", "x.crash")
        #expect(loud.problems.contains { $0.hasPrefix("symbols: none given") })
        #expect(try workspace.symbolist("symbolicate", "x.crash", "-q").problems == [])
    }

    @Test("completions offer paths for every path argument")
    func completions() throws {
        let script = try workspace.symbolist("completions", "fish").text
        let lines = script.split(separator: "\n")
        for option in ["symbols", "for", "config", "output", "source-root"] {
            let offers = lines.filter {
                $0.contains("-l '\(option)'") || $0.contains("-l \(option) ")
            }
            #expect(!offers.isEmpty, "\(option)")
            #expect(
                offers.allSatisfy {
                    $0.hasSuffix("-rF") || $0.contains("directories")
                }, "\(option): \(offers)")
        }
    }
}

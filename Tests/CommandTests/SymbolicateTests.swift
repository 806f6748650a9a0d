import Foundation
import TestSupport
import Testing

/// `symbolist symbolicate` on diagnostics of the sample app.
@Suite("symbolicate", .ownThreads)
struct SymbolicateTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private func text(of diagnostic: String) throws -> Run {
        try workspace.symbolist(
            "symbolicate", diagnostic, "--symbols", Orchard.symbols, inProject: true)
    }

    @Test(
        "the text of a crash and of a hang equals the golden file",
        arguments: [("crash.txt", Orchard.crash), ("hang.txt", Orchard.hang)])
    func goldens(name: String, diagnostic: String) throws {
        let run = try text(of: diagnostic)
        #expect(run.status == 0)
        #expect(run.problems == [])
        try expectGolden(run.text, name)
    }

    @Test("one diagnostic is one JSON object with the keys of every frame")
    func object() throws {
        let run = try workspace.symbolist(
            "symbolicate", Orchard.crash, "--symbols", Orchard.symbols, "--format", "json",
            inProject: true)
        let answer = try run.object()
        #expect(answer["status"] as? String == "symbolicated")
        let threads = try #require(answer["threads"] as? [[String: Any]])
        let frames = try #require(threads.first?["frames"] as? [[String: Any]])
        let keys: Set = [
            "image", "uuid", "offset", "address", "status", "in_app", "function", "mangled", "file",
            "path", "line", "column", "approximate", "inlined", "compiler_generated",
        ]
        for frame in frames { #expect(keys.isSubset(of: frame.keys)) }
        #expect(frames.contains { $0["function"] as? String == "pick(_:in:)" })
    }

    @Test("several diagnostics are a JSON array, from one input or several")
    func array() throws {
        let several = try workspace.symbolist(
            "symbolicate", "\(Orchard.diagnostics)/several.payload.json", "--symbols",
            Orchard.symbols, "--format", "json", inProject: true)
        #expect(try (several.json() as? [Any])?.count == 4)
        let two = try workspace.symbolist(
            "symbolicate", Orchard.crash, Orchard.hang, "--symbols", Orchard.symbols, "--format",
            "json", inProject: true)
        #expect(
            try (two.json() as? [[String: Any]])?.map { $0["kind"] as? String }
                == ["crash", "hang"])
    }

    @Test("several texts have headings, in the order of the inputs")
    func headings() throws {
        let run = try workspace.symbolist(
            "symbolicate", Orchard.hang, Orchard.crash, "--symbols", Orchard.symbols,
            inProject: true)
        let headings = run.text.split(separator: "\n").filter { $0.hasPrefix("==> ") }
        #expect(headings == ["==> \(Orchard.hang) <==", "==> \(Orchard.crash) <=="])
        #expect(run.text.contains("\n\n==> "))
    }

    @Test("standard input has the output of the file, with and without '-'")
    func standardInput() throws {
        let input = String(decoding: try Orchard.bytes(Orchard.crash), as: UTF8.self)
        let expected = try text(of: Orchard.crash).text
        let symbols = Orchard.absolute(Orchard.symbols)
        let dash = try workspace.symbolist(
            "symbolicate", "-", "--symbols", symbols, input: input)
        let nothing = try workspace.symbolist("symbolicate", "--symbols", symbols, input: input)
        #expect(dash.text == expected)
        #expect(nothing.text == expected)
    }

    @Test("a named pipe is read like a file")
    func namedPipe() throws {
        let crash = Orchard.absolute(Orchard.crash)
        let symbols = Orchard.absolute(Orchard.symbols)
        let run = try workspace.shell(
            "mkfifo p; cat '\(crash)' > p & symbolist symbolicate p --symbols '\(symbols)'")
        #expect(run.status == 0)
        #expect(run.text.hasPrefix("Index out of range"))
    }

    @Test("symbols may be several paths, in options, in the environment, or in ./Symbols")
    func places() throws {
        let expected = try text(of: Orchard.crash).text
        let app = Orchard.absolute(Orchard.app)
        let kit = Orchard.absolute(Orchard.kit)
        let crash = Orchard.absolute(Orchard.crash)
        let options = try workspace.symbolist(
            "symbolicate", crash, "--symbols", app, "--symbols", kit)
        #expect(options.text == expected)
        let variable = try workspace.symbolist(
            "symbolicate", crash, environment: ["SYMBOLIST_SYMBOLS": "\(app):\(kit)"])
        #expect(variable.text == expected)
        try workspace.copy(Orchard.symbols, to: "Symbols/a folder/of builds")
        let folder = try workspace.symbolist("symbolicate", crash)
        #expect(folder.text == expected)
        #expect(folder.problems == [])
    }

    @Test("an image without symbols is named once per input, with a next step")
    func missingImage() throws {
        let run = try workspace.symbolist(
            "symbolicate", Orchard.crash, "--symbols", Orchard.app, inProject: true)
        #expect(run.status == 0)
        #expect(
            run.problems == [
                "\(Orchard.crash): 6 of 9 app frames; missing: OrchardKit arm64e \(Orchard.kitID) "
                    + "(3 frames): pass its dSYM or debug file with --symbols"
            ])
    }

    @Test("a run without any symbols reports that once")
    func noSymbols() throws {
        let run = try workspace.symbolist(
            "symbolicate", Orchard.absolute(Orchard.crash), Orchard.absolute(Orchard.hang))
        #expect(run.status == 0)
        #expect(run.text.contains("0 of 9 app frames"))
        #expect(
            run.problems == [
                "symbols: none given, and there is no ./Symbols folder: set --symbols PATH",
                "2 files, 2 reports: 2 raw",
            ])
    }

    @Test("--full-paths shows full source paths")
    func fullPaths() throws {
        let run = try workspace.symbolist(
            "symbolicate", Orchard.crash, "--symbols", Orchard.symbols, "--full-paths",
            inProject: true)
        #expect(run.text.contains("pick(_:in:) + 36 (/Users/ci/orchard/"))
    }
}

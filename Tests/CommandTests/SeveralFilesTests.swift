import CallStacks
import Foundation
import TestSupport
import Testing

@testable import symbolist

/// `symbolist symbolicate` with several inputs and with output files.
@Suite("symbolicate, several files", .ownThreads)
struct SeveralFilesTests {
    let workspace: Workspace
    let symbols = Orchard.absolute(Orchard.symbols)

    init() throws { workspace = try Workspace() }

    @Test("control characters in a file name do not reach the terminal")
    func headings() throws {
        let run = try workspace.shell(
            """
            name=$(printf 'a\\033]0;title\\007b\\nc.json')
            cp "$CRASH" "$name"; cp "$CRASH" d.json
            symbolist symbolicate "$name" d.json --symbols "$SYMBOLS"
            """,
            environment: [
                "CRASH": Orchard.absolute(Orchard.crash),
                "SYMBOLS": Orchard.absolute(Orchard.symbols),
            ])
        #expect(run.text.hasPrefix("==> a\u{fffd}]0;title\u{fffd}b c.json <==\n"))
        #expect(run.status == 0)
    }

    @Test("output is in the order of the files, with a summary at the end")
    func order() throws {
        let names = (0..<20).map { "\($0).json" }
        for (number, name) in names.enumerated() {
            try workspace.copy(number.isMultiple(of: 3) ? Orchard.hang : Orchard.crash, to: name)
        }
        try workspace.file("7.json", text: "hello\n")
        let run = try workspace.run(
            executable.path, ["symbolicate", "--symbols", symbols] + names, input: "",
            environment: [:], in: workspace.folder)
        let headings = run.text.split(separator: "\n").filter { $0.hasPrefix("==> ") }
        #expect(headings == names.filter { $0 != "7.json" }.map { "==> \($0) <==" })
        #expect(run.problems.count == 2)
        #expect(
            run.problems.last
                == "20 files, 19 reports: 19 symbolicated; 1 file without a report")
        #expect(run.status == 1)
    }

    @Test(
        "missing symbols are summarised over all files, and --quiet omits the summary")
    func missing() throws {
        let arguments = [
            "symbolicate", Orchard.absolute(Orchard.crash), Orchard.absolute(Orchard.crash),
            "--symbols", Orchard.absolute(Orchard.app),
        ]
        let run = try workspace.run(
            executable.path, arguments, input: "", environment: [:], in: workspace.folder)
        #expect(run.status == 0)
        try #require(run.problems.count == 4)
        #expect(run.problems[2] == "2 files, 2 reports: 2 partial")
        #expect(
            run.problems[3]
                == "all files: 12 of 18 app frames; missing: OrchardKit arm64e \(Orchard.kitID) "
                + "(6 frames): pass its dSYM or debug file with --symbols")
        let quiet = try workspace.run(
            executable.path, arguments + ["--quiet", "--strict"], input: "", environment: [:],
            in: workspace.folder)
        #expect(quiet.problems == [])
        #expect(quiet.status == 1)
    }

    @Test("a summary has the damaged images and the first unnamed ones of all its parts")
    func summary() throws {
        var sum = RunSummary()
        for number in 0..<8 {
            let id = try #require(
                ImageID(bytes: [UInt8](repeating: UInt8(number / 2 + 1), count: 16)))
            var frame = SymbolicatedFrame(
                physical: 0,
                frame: CallFrame(
                    image: nil, imageName: "Kit\(number)", site: .programCounter(ImageOffset(4))),
                status: .unknownImage)
            frame.isInApp = true
            var part = RunSummary()
            part.add(
                SymbolicatedDiagnostic(
                    kind: .crash, details: DiagnosticDetails(), status: .raw, culprit: nil,
                    fingerprint: "", form: .threads,
                    stacks: [CallStack(index: 0, isAttributed: true, frames: 0..<1)],
                    frames: [frame],
                    images: [
                        ImageStatus(
                            image: id, name: "Kit", architecture: nil, status: .corrupt,
                            frameCount: 1)
                    ], remarks: []))
            sum.add(part)
        }
        #expect(sum.damagedImages.count == 4)
        let line = sum.missing.identityLine(for: "x") ?? ""
        #expect(line.components(separatedBy: "'Kit").count - 1 <= 2 * MissingAppSymbols.imageLimit)
    }

    @Test("symbols of another build are distinguished from missing ones")
    func otherBuild() throws {
        let run = try workspace.symbolist(
            "symbolicate", Orchard.absolute(Orchard.crash), "--symbols",
            Orchard.absolute("Symbols/orchard-1.4.0-arm64-release-dwarf5"))
        #expect(run.problems.first?.contains("the given symbols are of another build, ") == true)
        #expect(run.text.contains("the given symbols are of another build, "))
    }

    @Test("several outputs are written to a folder under their names, a single one to a file")
    func output() throws {
        let crash = Orchard.absolute(Orchard.crash)
        let hang = Orchard.absolute(Orchard.hang)
        let folder = try workspace.symbolist(
            "symbolicate", crash, hang, "--symbols", symbols, "--format", "same", "-o", "a/b")
        #expect(folder.status == 0)
        #expect(folder.output.isEmpty)
        let written = try FileManager.default.contentsOfDirectory(
            atPath: workspace.folder.appendingPathComponent("a/b").path)
        #expect(written.sorted() == ["array-index.crash.json", "index-rebuild.hang.json"])
        let named = try workspace.symbolist(
            "symbolicate", crash, "--symbols", symbols, "-o", "new/")
        #expect(named.status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(
                atPath: workspace.folder.appendingPathComponent("new").path)
                == ["array-index.crash.json"])
        let one = try workspace.symbolist(
            "symbolicate", crash, "--symbols", symbols, "--output", "answer.txt")
        let text = try workspace.symbolist("symbolicate", crash, "--symbols", symbols)
        #expect(one.output.isEmpty)
        #expect(
            try Data(contentsOf: workspace.folder.appendingPathComponent("answer.txt"))
                == text.output)
    }

    @Test(
        "outputs that would share a name are wrong usage",
        arguments: [
            "x.json y.json --format same", "x.json d/x.json --format same -o out",
            "x.json - -o out", "x.json y.json -o x.json", "x.json --source-root nosuch",
            "x.json --uuid Orchard", "x.json --uuid =\(Orchard.kitID)",
        ])
    func wrongUsage(arguments: String) throws {
        try workspace.copy(Orchard.crash, to: "x.json")
        try workspace.copy(Orchard.crash, to: "y.json")
        try workspace.copy(Orchard.crash, to: "d/x.json")
        let run = try workspace.shell("symbolist symbolicate \(arguments)")
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.problems.count == 1)
        #expect(
            try Data(contentsOf: workspace.folder.appendingPathComponent("x.json"))
                == Orchard.bytes(Orchard.crash))
    }

    @Test("source lines are shown around the line of a frame")
    func sources() throws {
        let text = (1...40).map { "line \($0)\n" }.joined()
        try workspace.file("src/Mistakes.swift", text: text)
        let run = try workspace.symbolist(
            "symbolicate", Orchard.absolute(Orchard.crash), "--symbols", symbols, "--source-root",
            "src")
        #expect(
            run.text.contains(
                """
                pick(_:in:) + 36 (Mistakes.swift:34:5)
                         32 │ line 32
                         33 │ line 33
                      ▶  34 │ line 34
                         35 │ line 35
                         36 │ line 36

                """))
    }
}

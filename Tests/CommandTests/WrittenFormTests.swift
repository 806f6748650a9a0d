import Foundation
import TestSupport
import Testing

/// `symbolist symbolicate --format crash` and `--format markdown`.
@Suite("symbolicate, to be given to others")
struct WrittenFormTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private func run(_ format: String, _ files: String...) throws -> Run {
        try workspace.run(
            executable.path,
            ["symbolicate"] + files + ["--symbols", Orchard.symbols, "--format", format],
            input: "", environment: [:], in: projectFolder)
    }

    @Test("crashes of any form come as Apple's text, which symbolicates to the same text")
    func crash() throws {
        let text = try run("crash", Orchard.crash)
        #expect(text.status == 0)
        #expect(text.text.contains("\nReport Version:      104\n"))
        #expect(text.text.contains(" pick(_:in:) + 36 (Mistakes.swift:34)\n"))
        let again = try run("crash", try workspace.file("x.crash", text: text.text))
        #expect(again.text == text.text)
    }

    @Test("several crashes read again as several, each with its culprit")
    func several() throws {
        let several = try run(
            "crash", Orchard.crash, "\(Orchard.diagnostics)/objc-block.report.ips")
        #expect(several.status == 0)
        let headings = several.text.split(separator: "\n").filter { $0.hasPrefix("==> ") }
        #expect(headings.count == 2)
        let read = try run("json", try workspace.file("several.crash", text: several.text))
        let culprits = try (read.json() as? [[String: Any]])?.map { $0["culprit"] as? String }
        #expect(culprits == ["tree(_:in:)", "ok_clamp(int, int const*)"])
    }

    @Test("what was sampled has no crash text; the rest of the input has")
    func sampled() throws {
        let hang = try run("crash", Orchard.hang)
        #expect(hang.status == 1)
        #expect(hang.text == "")
        #expect(
            hang.problems == [
                "\(Orchard.hang): its stacks were sampled, which crash text has no form for: "
                    + "ask for text"
            ])
        let output = try workspace.file("x.crash", text: "kept\n")
        #expect(try run("crash", Orchard.hang, "-o", output).status == 1)
        #expect(try String(contentsOfFile: output, encoding: .utf8) == "kept\n")
        let several = try run("crash", "\(Orchard.diagnostics)/several.payload.json")
        #expect(several.status == 1)
        #expect(several.problems.count == 3)
        #expect(
            several.text.hasPrefix("==> \(Orchard.diagnostics)/several.payload.json, 1 of 4 <==\n"))
    }

    @Test("Markdown of several reports has a heading for each, and is no filter of logs")
    func markdown() throws {
        let several = try run("markdown", Orchard.crash, Orchard.hang)
        #expect(several.status == 0)
        let headings = several.text.split(separator: "\n").filter { $0.hasPrefix("# <code>") }
        #expect(headings.count == 2)
        #expect(several.text.contains("\n## <code>Index out of range — tree(&#95;&#58;in&#58;)"))
        #expect(several.text.contains("<b>pick(_:in:)</b> + 36 (Mistakes.swift:34"))
        let log = try workspace.symbolist(
            "symbolicate", "--format", "markdown", input: "one\ntwo\n")
        #expect(log.text == "")
    }
}

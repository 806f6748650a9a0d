import Foundation
import TestSupport
import Testing

/// The formats of `symbolist symbolicate` for other tools, and Markdown.
@Suite("symbolicate, formats for other tools", .ownThreads)
struct WrittenFormTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private func run(_ format: String, _ files: String...) throws -> Run {
        try workspace.run(
            executable.path,
            ["symbolicate"] + files + ["--symbols", Orchard.symbols, "--format", format],
            input: "", environment: [:], in: projectFolder)
    }

    @Test("crashes of any format are written as Apple's text, which symbolicates to itself")
    func crash() throws {
        let text = try run("crash", Orchard.crash)
        #expect(text.status == 0)
        #expect(text.text.contains("\nReport Version:      104\n"))
        #expect(text.text.contains(" pick(_:in:) + 36 (Mistakes.swift:34)\n"))
        let again = try run("crash", try workspace.file("x.crash", text: text.text))
        #expect(again.text == text.text)
    }

    @Test("several crashes are read back as several, each with its culprit")
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

    @Test("sampled stacks have no crash text, but the rest of the input has")
    func sampled() throws {
        let hang = try run("crash", Orchard.hang)
        #expect(hang.status == 1)
        #expect(hang.text == "")
        #expect(
            hang.problems == [
                "\(Orchard.hang): sampled stacks cannot be written as crash text: "
                    + "use the format 'text'"
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

    @Test("sampled stacks are written as lines that each end with a weight")
    func collapsed() throws {
        let several = try run("collapsed", Orchard.hang, Orchard.crash)
        #expect(several.status == 1)
        #expect(
            several.problems.contains(
                "\(Orchard.crash): has no sampled stacks, so there is no profile: use text"))
        let lines = several.text.split(separator: "\n")
        #expect(lines.contains { $0.contains(";rebuildIndex(rows:);") })
        #expect(lines.allSatisfy { $0.split(separator: " ").last.flatMap { Int($0) } != nil })
    }

    @Test("all sampled stacks of a run are one speedscope file")
    func speedscope() throws {
        let several = try run("speedscope", Orchard.hang, Orchard.hang)
        #expect(several.status == 0)
        let file = try #require(try several.json() as? [String: Any])
        let profiles = try #require(file["profiles"] as? [[String: Any]])
        #expect(profiles.count > 1)
        let shared = try #require(file["shared"] as? [String: [[String: Any]]])
        let frameCount = try #require(shared["frames"]?.count)
        for profile in profiles {
            let samples = try #require(profile["samples"] as? [[Int]])
            let weights = try #require(profile["weights"] as? [Int])
            #expect(samples.joined().allSatisfy { $0 < frameCount })
            #expect(samples.count == weights.count)
            #expect(weights.reduce(0, +) == profile["endValue"] as? Int)
        }
    }

    @Test("Markdown has a heading per report and omits log lines")
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

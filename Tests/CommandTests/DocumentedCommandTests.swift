import Foundation
import TestSupport
import Testing

/// The commands in the user documentation, run by the executable.
@Suite("Documented commands", .ownThreads)
struct DocumentedCommandTests {
    static let pages: [String] = {
        let folder = projectFolder.appendingPathComponent("Documentation")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return ["README.md"]
            + names.filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" }
    }()

    /// Returns the lines of all code blocks.
    static func code(_ page: String) throws -> [String] {
        let text = try String(
            contentsOf: projectFolder.appendingPathComponent(page), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var isCode = false
        return lines.compactMap { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return isCode && !line.hasPrefix("```") ? String(line) : nil
        }
    }

    @Test("the example in the README is the program's output")
    func example() throws {
        let lines = try Self.code("README.md")
        let start = try #require(lines.firstIndex { $0.hasPrefix("$ symbolist ") })
        let end = lines[start...].firstIndex { $0.hasPrefix("sudo ") } ?? lines.endIndex
        let arguments = lines[start].split(separator: " ").dropFirst(2).map(String.init)
        let run = try Workspace().run(
            executable.path, arguments, input: "", environment: ["CI": "1"], in: projectFolder)
        #expect(run.status == 0)
        let printed = run.text.split(separator: "\n", omittingEmptySubsequences: false)
        var rest = printed[...]
        for line in lines[start..<end].dropFirst() where line != "…" {
            let found = rest.firstIndex { $0 == line }
            #expect(found != nil, "the program does not print: \(line)")
            rest = found.map { rest[($0 + 1)...] } ?? rest
        }
    }

    @Test("the file of the README's first command is symbolicated")
    func firstCommand() throws {
        let line = try #require(
            try Self.code("README.md").first { $0.hasPrefix("symbolist symbolicate") })
        let arguments = line.split(separator: " ").dropFirst().map(String.init)
        let run = try Workspace().run(
            executable.path, arguments, input: "", environment: [:], in: projectFolder)
        #expect(run.status == 0)
        #expect(run.text.contains("Harvest.swift:31"))
    }

    @Test("every command in a code block exists, with its options", arguments: pages)
    func options(page: String) throws {
        let workspace = try Workspace()
        for line in try Self.code(page) {
            for invocation in line.matches(of: /(?:^|\| |&& |\$ |run: )symbolist( [^|>&;]*)/) {
                let words = invocation.output.1.split { " []…=|".contains($0) }.map(String.init)
                let command = Array(words.prefix { $0.contains(/^[a-z]+$/) }.prefix(2))
                var help = try workspace.shell("symbolist \(command.joined(separator: " ")) --help")
                if help.status != 0
                    || command.count == 2
                        && !help.text.contains("symbolist \(command.joined(separator: " "))")
                {
                    help = try workspace.shell("symbolist \(command.first ?? "") --help")
                }
                #expect(help.status == 0, "\(page): \(line)")
                for option in words where option.hasPrefix("-") && option != "-" {
                    #expect(help.text.contains(option), "\(page): \(option) of: \(line)")
                }
            }
        }
    }
}

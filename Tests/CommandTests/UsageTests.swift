import Foundation
import TestSupport
import Testing

/// Help, version and wrong usage.
@Suite("Usage", .ownThreads)
struct UsageTests {
    static let commands = [
        [], ["symbolicate"], ["lookup"], ["inspect"], ["index"], ["index", "build"],
        ["index", "dump"], ["atos"], ["completions"],
    ]

    @Test("help fits a screen and shows two examples", arguments: commands)
    func help(command: [String]) throws {
        let workspace = try Workspace()
        let run = try workspace.shell("symbolist \(command.joined(separator: " ")) --help")
        #expect(run.status == 0)
        #expect(run.problems == [])
        let lines = run.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 60)
        #expect(lines.filter { $0.count > 80 && !$0.hasPrefix("USAGE") } == [])
        #expect(examples(in: run.text).count == 2)
    }

    @Test("every example of the help works as printed", arguments: commands)
    func examples(command: [String]) throws {
        let workspace = try Workspace()
        try workspace.copy(Orchard.app, to: "Orchard.app.dSYM")
        try workspace.copy(Orchard.app, to: "dSYMs/Orchard.app.dSYM")
        try workspace.copy(Orchard.kit, to: "dSYMs/OrchardKit.framework.dSYM")
        try workspace.copy(Orchard.crash, to: "crash.json")
        try workspace.file("pairs.txt", text: "\(Orchard.kitID) \(Orchard.inlinedOffset)\n")
        let environment = ["SYMBOLIST_SYMBOLS": "dSYMs"]
        _ = try workspace.shell("symbolist index Orchard.app.dSYM -o Orchard.symidx")
        let help = try workspace.shell("symbolist \(command.joined(separator: " ")) --help")
        for example in examples(in: help.text) {
            let run = try workspace.shell(example, environment: environment)
            #expect(run.status == 0, "\(example)")
            #expect(run.problems == [], "\(example)")
        }
    }

    private func examples(in help: String) -> [String] {
        help.split(separator: "\n").filter { $0.hasPrefix("  symbolist ") }.map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test(
        "without a command, help is printed as for wrong usage",
        arguments: [[], ["symbols"], ["system"], ["exporters"], ["database"]])
    func noCommand(words: [String]) throws {
        let run = try Workspace().shell((["symbolist"] + words).joined(separator: " "))
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.problems.contains { $0.hasPrefix("SUBCOMMANDS:") })
        let usage = (["USAGE: symbolist"] + words).joined(separator: " ")
        #expect(run.problems.contains { $0.hasPrefix(usage) })
    }

    @Test("the version is one line")
    func version() throws {
        let run = try Workspace().symbolist("--version")
        #expect(run.status == 0)
        let line = /symbolist 0\.1\.0 \(Swift 6\.[^,)]+(, commit [0-9a-f]{8})?\)\n/
        #expect(run.text.wholeMatch(of: line) != nil)
    }

    @Test(
        "wrong usage ends with 2 and one line that names the help",
        arguments: [
            ["symbolise"], ["symbolicate", "--bogus"], ["symbolicate", "--symbols", "''"],
            ["symbolicate", "--format", "xml"],
            ["inspect"], ["index"], ["index", "x"], ["lookup", "no-uuid", "1"],
            ["lookup", Orchard.kitID], ["lookup", Orchard.kitID, "12x"],
            ["lookup", Orchard.kitID, "-1"], ["lookup", Orchard.kitID, "0x"],
            ["lookup", Orchard.kitID, "18446744073709551616"], ["lookup", "00", "1"],
        ])
    func wrongUsage(arguments: [String]) throws {
        let line = (["symbolist"] + arguments).joined(separator: " ")
        let run = try Workspace().shell(line)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.problems.count == 1)
        let problem = try #require(run.problems.first)
        #expect(problem.hasPrefix("symbolist"))
        #expect(problem.contains(/: see 'symbolist.* --help'$/))
    }

    @Test("an unknown command is named as such")
    func unknownCommand() throws {
        let run = try Workspace().symbolist("symbolise", "crash.json")
        #expect(run.problems.first?.contains("unknown command") == true)
    }
}

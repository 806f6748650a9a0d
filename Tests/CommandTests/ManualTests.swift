import Foundation
import TestSupport
import Testing

/// Completions and man pages, which are generated from the executable's own description.
@Suite("Manual and completions", .ownThreads)
struct ManualTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// Returns the words of all commands, found through their help.
    private func commands() throws -> [[String]] {
        var found: [[String]] = [[]]
        var next = 0
        while next < found.count {
            let command = found[next]
            found += try subcommands(of: command).map { command + [$0] }
            next += 1
        }
        return found
    }

    private func help(of command: [String]) throws -> String {
        try workspace.shell("symbolist \(command.joined(separator: " ")) --help").text
    }

    private func subcommands(of command: [String]) throws -> [String] {
        let lines = try help(of: command).split(separator: "\n", omittingEmptySubsequences: false)
        let listed = lines.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { !$0.isEmpty }
        return listed.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap {
            $0.split(separator: " ").first.map { $0.trimmingCharacters(in: ["("]) }
        }
    }

    /// Returns the long options in a text.
    private func options(in text: String) -> Set<String> {
        Set(text.matches(of: /(?:^|[\s\[(,\/])--([a-zA-Z][a-zA-Z-]+)/).map { String($0.1) })
    }

    /// Returns the long options that a help text explains, without those in its prose.
    private func explainedOptions(of command: [String]) throws -> Set<String> {
        let lines = try help(of: command).split(separator: "\n")
        return options(in: lines.filter { $0.hasPrefix("  -") }.joined(separator: "\n"))
    }

    private func page(_ command: [String]) throws -> String {
        let name = (["symbolist"] + command).joined(separator: "-")
        let file = workspace.folder.appendingPathComponent("man/man1/\(name).1")
        return try String(contentsOf: file, encoding: .utf8).replacing("\\-", with: "-")
    }

    private func writeManual() throws {
        let script = projectFolder.appendingPathComponent("Scripts/manual").path
        let run = try workspace.shell("'\(script)' man '\(executable.path)'")
        #expect(run.problems == [])
        #expect(run.status == 0)
    }

    @Test("every command has a man page with exactly the options of its help")
    func pages() throws {
        try writeManual()
        let commands = try commands()
        #expect(commands.contains(["symbolicate"]) && commands.contains(["symbols", "list"]))
        for command in commands {
            let page = try page(command)
            let headings = page.matches(of: /\.TP\n(\\fB-.*)/).map { String($0.1) }
            let listed = options(in: headings.joined(separator: "\n").replacing("\\fB", with: " "))
            #expect(listed == (try explainedOptions(of: command)), "\(command)")
            for section in ["NAME", "SYNOPSIS", "EXIT STATUS"] {
                #expect(page.contains("\n.SH \(section)\n"), "\(command)")
            }
        }
    }

    @Test(
        "the help of every command fits a screen, except that of `serve`, which lists all settings")
    func lengths() throws {
        for command in try commands() {
            let lines = try help(of: command)
                .split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 61 || command == ["serve"], "\(command)")
            #expect(lines.filter { $0.count > 80 && !$0.hasPrefix("USAGE") } == [], "\(command)")
        }
    }

    @Test("man pages have the examples of the help and the exit codes")
    func content() throws {
        try writeManual()
        let page = try page(["symbolicate"])
        #expect(page.contains("symbolist symbolicate crash.json --symbols dSYMs\n"))
        #expect(page.contains("\n.SH EXAMPLES\n"))
        let upload = try self.page(["upload"])
        #expect(upload.contains("\\fB3\\fP\nNo symbols in the paths.\n"))
        let whole = try self.page([])
        #expect(whole.contains("\\fBSYMBOLIST_SYMBOLS\\fP"))
        #expect(whole.contains("symbolist-symbolicate\\fP(1)"))
    }

    @Test("completions include every command and option", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let script = try workspace.symbolist("completions", shell).text
        for command in try commands() {
            if let name = command.last { #expect(script.contains(name), "\(command)") }
            for option in try explainedOptions(of: command) {
                let isThere =
                    script.contains("--\(option)") || script.contains("-l '\(option)'")
                    || script.contains("-l \(option)")
                #expect(isThere, "\(command) --\(option)")
            }
        }
    }
}

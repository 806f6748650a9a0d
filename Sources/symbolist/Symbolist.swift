import ArgumentParser
import Foundation

/// The command line: one executable, one command a file.
@main
struct Symbolist: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "symbolist",
        abstract: "Turns crash and hang reports into functions, files and lines.",
        discussion: """
            Examples:
              symbolist symbolicate report.json --symbols build/dSYMs
              symbolist lookup --symbols Shop.dSYM CF441AF5-BB7E-3567-8D44-451D69214D92 0x513c
              symbolist inspect Shop.dSYM

            Exit codes: 0 done, 1 some of it failed, 2 wrong usage, 3 nothing found to do.
            """,
        version: "symbolist 0.1.0",
        subcommands: [
            SymbolicateCommand.self, LookupCommand.self, InspectCommand.self, IndexCommand.self,
        ])

    static func main() async {
        Console.ignoreBrokenPipes()
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Outcome.end(with: error)
        }
    }
}

/// How a run ends, as scripts see it.
enum Outcome {
    static let someFailed = ExitCode(1)
    static let wrongUsage = ExitCode(2)
    static let nothingFound = ExitCode(3)

    /// Reports an error that ended the run and exits.
    static func end(with error: any Error) -> Never {
        if let code = error as? ExitCode { Symbolist.exit(withError: code) }
        let isUsage = Symbolist.exitCode(for: error) == .validationFailure
        guard isUsage else { Symbolist.exit(withError: error) }
        Console.problem(usageText(for: error))
        Symbolist.exit(withError: wrongUsage)
    }

    /// The parser's message in one line, with the command whose help explains it.
    private static func usageText(for error: any Error) -> String {
        let lines = Symbolist.fullMessage(for: error).split(separator: "\n")
        let usage = lines.first { $0.hasPrefix("Usage: ") }?.dropFirst("Usage: ".count)
        let words = (usage ?? "symbolist").split(separator: " ")
        let command = words.prefix { $0.first?.isLetter == true }.joined(separator: " ")
        return "\(Symbolist.message(for: error)): see '\(command) --help'"
    }
}

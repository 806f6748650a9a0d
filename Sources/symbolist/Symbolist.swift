import ArgumentParser

/// The command line: one executable, one command a file.
@main
struct Symbolist: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "symbolist",
        abstract: "Turns crash and hang reports into functions, files and lines.",
        discussion: """
            Examples:
              symbolist symbolicate crash.json --symbols dSYMs
              symbolist inspect Orchard.app.dSYM

            Exit codes: 0 done, 1 some of it failed, 2 wrong usage, 3 nothing found to do, 4 \
            server refused or unreachable.
            """,
        version: version,
        subcommands: [
            ServeCommand.self, UploadCommand.self, SymbolsCommand.self, SymbolicateCommand.self,
            LookupCommand.self, AtosCommand.self, InspectCommand.self, ConvertCommand.self,
            IndexCommand.self, ExportersCommand.self, HealthCommand.self, CompletionsCommand.self,
            IntakeCommand.self,
        ])

    /// None for commands with a `--version` of their own: whatever was wrong with their other
    /// arguments, the parser would answer with ours.
    private static var version: String {
        let own = [UploadCommand.configuration, SymbolsCommand.configuration].map(\.commandName)
        let command = CommandLine.arguments.dropFirst().first ?? ""
        return own.contains(command) ? "" : "symbolist 0.1.0 (Swift \(swiftVersion))"
    }

    /// Of the compiler, which tells itself to conditions and not as a text.
    private static var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #else
            "6.3"
        #endif
    }

    static func main() async {
        Console.ignoreBrokenPipes()
        do {
            let arguments = AtosCommand.completed(
                OptionalValues.completed(Array(CommandLine.arguments.dropFirst())))
            var command = try parseAsRoot(arguments)
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

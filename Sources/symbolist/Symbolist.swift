import ArgumentParser
import CBuildInformation
import FoundationEssentials
import SymbolStores

/// The command line. Each command has its own file.
@main
struct Symbolist: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "symbolist",
        abstract: "Symbolicate crash and hang reports.",
        discussion: """
            Examples:
              symbolist symbolicate crash.json --symbols dSYMs
              symbolist inspect Orchard.app.dSYM

            Exit codes: 0 success, 1 partial failure, 2 wrong usage, 3 nothing found, 4 server \
            refused or unreachable.
            """,
        version: version,
        subcommands: [
            ServeCommand.self, UploadCommand.self, SymbolsCommand.self, SymbolicateCommand.self,
            LookupCommand.self, AtosCommand.self, InspectCommand.self, ConvertCommand.self,
            IndexCommand.self, SystemCommand.self, ExportersCommand.self, DatabaseCommand.self,
            MoveCommand.self, HealthCommand.self, TokenCommand.self, CompletionsCommand.self,
            IntakeCommand.self,
        ])

    /// The text of `--version`, empty for commands with a `--version` option of their own. The
    /// parser would otherwise print it for any error in their arguments.
    private static var version: String {
        let own = [UploadCommand.configuration, SymbolsCommand.configuration].map(\.commandName)
        let command = CommandLine.arguments.dropFirst().first ?? ""
        return own.contains(command) ? "" : "symbolist \(release) (\(build))"
    }

    /// The compiler, and the commit if it was passed to the build.
    private static var build: String {
        let commit = unsafe String(cString: symbolist_commit())
        return "Swift \(swiftVersion)" + (commit.isEmpty ? "" : ", commit \(commit)")
    }

    /// The version of the program.
    static let release = "0.1.0"

    /// The compiler's version, which is available to conditions but not as text.
    private static var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #else
            "6.3"
        #endif
    }

    static func main() async {
        StandardDescriptors.openClosed()
        Console.ignoreBrokenPipes()
        var running: (any ParsableCommand.Type)?
        do {
            let arguments = AtosCommand.completed(
                OptionalValueArguments.completed(Array(processArguments().dropFirst())))
            var command = try parseAsRoot(arguments)
            running = type(of: command)
            if buildsIndex(command) { AllocatorSettings.applyForIndexing() }
            if !isOfService(command) {
                let environment = ProcessInfo.processInfo.environment
                Interruption.cleanUp(IndexFolder(environment: environment)?.archives)
            }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Outcome.end(with: error, in: running)
        }
    }

    /// Whether a command is the service, which handles signals itself, or one of its workers, which
    /// exit with it.
    private static func isOfService(_ command: any ParsableCommand) -> Bool {
        switch command {
        case is ServeCommand, is IntakeCommand.List, is IntakeCommand.Build,
            is IntakeCommand.Index, is IntakeCommand.Digest:
            true
        default: false
        }
    }

    /// Whether a command builds an index, and does little else. Those that symbolicate reports
    /// concurrently are faster with a heap for each thread.
    private static func buildsIndex(_ command: any ParsableCommand) -> Bool {
        switch command {
        case is IndexCommand.Build, is IntakeCommand.Index, is LookupCommand, is AtosCommand: true
        default: false
        }
    }
}

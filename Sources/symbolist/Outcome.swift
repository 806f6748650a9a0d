import ArgumentParser
import ErrorDescriptions
import FoundationEssentials

/// The exit codes, and the end of a run with an error.
enum Outcome {
    static let someFailed = ExitCode(1)
    static let wrongUsage = ExitCode(2)
    static let nothingFound = ExitCode(3)
    /// A server refused the request or could not be reached.
    static let serverRefused = ExitCode(4)

    /// The parser's own command.
    private static let helpCommand = "help"

    /// Prints the error that ended the run, and exits.
    ///
    /// - Parameter command: The command that ran, or `nil` if its arguments were not understood.
    static func end(with error: any Error, in command: (any ParsableCommand.Type)?) -> Never {
        if let code = error as? ExitCode { Symbolist.exit(withError: code) }
        switch Symbolist.exitCode(for: error) {
        case .success:
            let arguments = Array(CommandLine.arguments.dropFirst())
            // The parser shows the help of the enclosing command instead.
            if arguments.first == helpCommand,
                let unknown = UnknownCommand(in: Array(arguments.dropFirst()))
            {
                Console.problem(unknown.usageText)
                Symbolist.exit(withError: wrongUsage)
            }
            // The parser shows the help for commands that only have subcommands.
            if command?.configuration.subcommands.isEmpty == false {
                Console.usage(Symbolist.fullMessage(for: error))
                Symbolist.exit(withError: wrongUsage)
            }
            // Help and version are results.
            Console.result(Symbolist.fullMessage(for: error) + "\n")
            Symbolist.exit()
        case .validationFailure:
            Console.problem(usageText(for: error, in: command))
            Symbolist.exit(withError: wrongUsage)
        default:
            Console.problem(ErrorDescription.text(of: error))
            Symbolist.exit(withError: someFailed)
        }
    }

    /// Returns a message about arguments in one line, with the command whose help explains it:
    /// `symbolist lookup: 'zz' is not an offset of at most 64 bits: see 'symbolist lookup --help'`.
    private static func usageText(
        for error: any Error, in running: (any ParsableCommand.Type)?
    ) -> String {
        let lines = Symbolist.fullMessage(for: error).split(separator: "\n")
        let usage = lines.first { $0.hasPrefix("Usage: ") }?.dropFirst("Usage: ".count)
        let words = (usage ?? "symbolist").split(separator: " ")
        // The parser sets the command only for its own errors.
        let command =
            running.flatMap(Symbolist.words(of:))?.joined(separator: " ")
            ?? words.prefix { $0.first?.isLowercase == true }.joined(separator: " ")
        if running == nil,
            let unknown = UnknownCommand(in: Array(CommandLine.arguments.dropFirst()))
        {
            return unknown.usageText
        }
        let message =
            (error as? ValidationError)?.message ?? oneSentence(Symbolist.message(for: error))
        return "\(command): \(message): see '\(command) --help'"
    }

    /// The parser's prefix for each choice, if there are too many choices for one line.
    private static let choiceMark = "  - "

    /// Joins the sentences of a message of the parser:
    /// `the value 'xml' is invalid for '--format'; please provide one of 'text' and 'json'`.
    private static func oneSentence(_ message: String) -> String {
        let lines = message.split(separator: "\n").map(String.init)
        let choices = lines.filter { $0.hasPrefix(choiceMark) }.map {
            $0.dropFirst(choiceMark.count)
        }
        let prose = lines.filter { !$0.hasPrefix(choiceMark) } + [choices.joined(separator: ", ")]
        let sentences = prose.filter { !$0.isEmpty }.joined(separator: " ")
            .components(separatedBy: ". ")
        let text = sentences.map { $0.prefix(1).lowercased() + $0.dropFirst() }
            .joined(separator: "; ")
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

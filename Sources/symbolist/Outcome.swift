import ArgumentParser
import ErrorDescriptions
import FoundationEssentials

/// How a run ends, as scripts see it.
enum Outcome {
    static let someFailed = ExitCode(1)
    static let wrongUsage = ExitCode(2)
    static let nothingFound = ExitCode(3)
    /// A server refused, or could not be reached.
    static let serverRefused = ExitCode(4)

    /// Reports an error that ended the run and exits.
    static func end(with error: any Error) -> Never {
        if let code = error as? ExitCode { Symbolist.exit(withError: code) }
        switch Symbolist.exitCode(for: error) {
        case .success:
            // Help and version are results.
            Console.result(Symbolist.fullMessage(for: error) + "\n")
            Symbolist.exit()
        case .validationFailure:
            Console.problem(usageText(for: error))
            Symbolist.exit(withError: wrongUsage)
        default:
            Console.problem(ErrorDescription.text(of: error))
            Symbolist.exit(withError: someFailed)
        }
    }

    /// The parser's message in one line, with the command whose help explains it:
    /// `symbolist lookup: 'zz' is no offset: see 'symbolist lookup --help'`.
    private static func usageText(for error: any Error) -> String {
        let lines = Symbolist.fullMessage(for: error).split(separator: "\n")
        let usage = lines.first { $0.hasPrefix("Usage: ") }?.dropFirst("Usage: ".count)
        let words = (usage ?? "symbolist").split(separator: " ")
        let command = words.prefix { $0.first?.isLowercase == true }.joined(separator: " ")
        var message = oneSentence(Symbolist.message(for: error))
        if command == "symbolist" {
            message.replace("unexpected argument", with: "unknown command", maxReplacements: 1)
            let word = CommandLine.arguments.dropFirst().first ?? ""
            if message.contains("unknown command"),
                let name = CommandSuggestion(for: word).name
            {
                message = "unknown command '\(word)' (did you mean '\(name)'?)"
            }
        }
        return "\(command): \(message): see '\(command) --help'"
    }

    /// `the value 'xml' is invalid for '--format'; please provide one of 'text' and 'json'`.
    private static func oneSentence(_ message: String) -> String {
        let sentences = message.split(separator: "\n").joined(separator: " ")
            .components(separatedBy: ". ")
        let text = sentences.map { $0.prefix(1).lowercased() + $0.dropFirst() }
            .joined(separator: "; ")
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

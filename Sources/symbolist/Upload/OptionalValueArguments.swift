import ArgumentParser
import Foundation

/// Handles options with an optional value, which the parser does not support: it would always take
/// the argument after `--wait` as the value.
enum OptionalValueArguments {
    /// The default value of `--wait` by command, in seconds.
    private static let waits: [String?: Int] = [
        UploadCommand.configuration.commandName: 30,
        SymbolicateCommand.configuration.commandName: 60,
        LookupCommand.configuration.commandName: 60,
        AtosCommand.configuration.commandName: 60,
    ]

    /// The commands whose arguments may be numbers.
    private static let takingNumbers: [String?] = [
        LookupCommand.configuration.commandName, AtosCommand.configuration.commandName,
    ]

    static func completed(_ arguments: [String]) -> [String] {
        let isReplacing = arguments.starts(with: SymbolsCommand.Replace.words)
        let command = isReplacing ? UploadCommand.configuration.commandName : arguments.first
        guard let seconds = waits[command] else { return arguments }
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var rest = arguments[..<end]
        var result: [String] = []
        while let argument = rest.popFirst() {
            guard argument == "--wait" else {
                result.append(argument)
                continue
            }
            let hasTime = !takingNumbers.contains(command) && rest.first.map(isTime) == true
            result.append("--wait=\(hasTime ? rest.removeFirst() : "\(seconds)")")
        }
        return result + arguments[end...]
    }

    /// Whether an argument is a number of seconds, and not a path.
    private static func isTime(_ argument: String) -> Bool {
        UInt(argument) != nil && !FileManager.default.fileExists(atPath: argument)
    }
}

import ArgumentParser

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

    static func completed(_ arguments: [String]) -> [String] {
        let isReplacing = arguments.starts(with: SymbolsCommand.Replace.words)
        let command = isReplacing ? UploadCommand.configuration.commandName : arguments.first
        guard let seconds = waits[command] else { return arguments }
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments[..<end].map { $0 == "--wait" ? "--wait=\(seconds)" : $0 }
            + arguments[end...]
    }
}

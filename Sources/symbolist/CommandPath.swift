import ArgumentParser

extension ParsableCommand {
    /// Returns the words of a command below this one on the command line, such as `symbolist
    /// symbols list`.
    ///
    /// - Returns: `nil` if it is not a subcommand of this command.
    static func words(of command: any ParsableCommand.Type) -> [String]? {
        let name = configuration.commandName ?? ""
        if command == Self.self { return [name] }
        for child in configuration.subcommands {
            if let words = child.words(of: command) { return [name] + words }
        }
        return nil
    }
}

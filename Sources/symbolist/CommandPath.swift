import ArgumentParser

extension ParsableCommand {
    /// Returns the words by which a command is given on the command line, from this command's name
    /// on, such as `symbolist symbols list`.
    ///
    /// - Returns: `nil` if it is neither this command nor one of its subcommands.
    static func words(of command: any ParsableCommand.Type) -> [String]? {
        let name = configuration.commandName ?? ""
        if command == Self.self { return [name] }
        for child in configuration.subcommands {
            if let words = child.words(of: command) { return [name] + words }
        }
        return nil
    }
}

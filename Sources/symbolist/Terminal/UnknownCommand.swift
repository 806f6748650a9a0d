import ArgumentParser
import ServerConfiguration

/// A word in the position of a command that is not the name of a command.
struct UnknownCommand {
    let word: String
    /// The words of the enclosing command: `symbolist symbols`.
    let group: String
    /// The command that was probably meant, or `nil` if none is similar.
    let suggestion: String?

    /// The maximum number of missing, extra or different letters.
    private static let distanceLimit = 2
    /// The number of equal first letters that make two words similar: `symbolise`.
    private static let prefixLength = 5

    /// Returns `nil` if the words before the first option name a command.
    init?(in arguments: [String]) {
        var command: any ParsableCommand.Type = Symbolist.self
        var words = ["symbolist"]
        for word in arguments {
            let children = command.configuration.subcommands
            guard !children.isEmpty, !word.hasPrefix("-") else { return nil }
            guard let child = children.first(where: { $0.configuration.commandName == word })
            else {
                // The word may be an argument of the default.
                guard command.configuration.defaultSubcommand == nil else { return nil }
                self.init(word: word, group: words, among: children)
                return
            }
            command = child
            words.append(word)
        }
        return nil
    }

    /// `symbolist: unknown command 'symbolise' (did you mean 'symbolicate'?): see 'symbolist --help'`
    var usageText: String {
        let hint = suggestion.map { " (did you mean '\($0)'?)" } ?? ""
        return "\(group): unknown command '\(word)'\(hint): see '\(group) --help'"
    }

    private init(word: String, group: [String], among commands: [any ParsableCommand.Type]) {
        self.word = word
        self.group = group.joined(separator: " ")
        suggestion =
            commands.filter { $0.configuration.shouldDisplay }
            .compactMap { $0.configuration.commandName }
            .map { (name: $0, likeness: Likeness(word, $0)) }
            .filter { $0.likeness.isClose }
            .min { $0.likeness < $1.likeness }?.name
    }

    /// How similar two words are.
    private struct Likeness: Comparable {
        private let equalCount: Int
        private let distance: Int
        let isClose: Bool

        init(_ word: String, _ name: String) {
            equalCount = zip(word.utf8, name.utf8).prefix { $0 == $1 }.count
            distance = word.editDistance(to: name)
            isClose =
                equalCount >= UnknownCommand.prefixLength
                || distance <= UnknownCommand.distanceLimit && distance < word.utf8.count
        }

        static func < (left: Self, right: Self) -> Bool {
            (-left.equalCount, left.distance) < (-right.equalCount, right.distance)
        }
    }
}

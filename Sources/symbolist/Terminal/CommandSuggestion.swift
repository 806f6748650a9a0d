import ArgumentParser

/// The command that a misspelt word probably means.
struct CommandSuggestion {
    /// The name of the command, or `nil` if none is similar.
    let name: String?

    /// The maximum number of missing, extra or different letters.
    private static let distanceLimit = 2

    init(for word: String) {
        let names = Symbolist.configuration.subcommands
            .filter { $0.configuration.shouldDisplay }
            .map { $0.configuration.commandName ?? "" }
        let near = names.map { ($0, Self.distance(Array(word.utf8), Array($0.utf8))) }
            .filter { $0.1 <= Self.distanceLimit && $0.1 < word.utf8.count }
        name = near.min { $0.1 < $1.1 }?.0
    }

    /// Returns the Levenshtein distance between two words.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard abs(left.count - right.count) <= distanceLimit else { return .max }
        var row = Array(0...right.count)
        for (number, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = number + 1
            for (index, other) in right.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[index + 1]
                row[index + 1] = min(changed, diagonal + 1, row[index] + 1)
            }
        }
        return row[right.count]
    }
}

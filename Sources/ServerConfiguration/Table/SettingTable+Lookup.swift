import Problems

extension SettingTable {
    private static let byKey = Dictionary(uniqueKeysWithValues: settings.map { ($0.key, $0) })

    /// The key prefixes that end before a dot, such as `export[]`, `export[].retry` and `http`.
    private static let groups = Set(
        settings.flatMap { setting in
            setting.key.indices.filter { setting.key[$0] == "." }.map { setting.key[..<$0] }
        })

    /// - Parameter key: The key in the form of the table: `export[].url`.
    static func setting(_ key: String) -> Setting? { byKey[key] }

    static func isGroup(_ key: String) -> Bool { groups.contains(key[...]) }

    static func isList(_ key: String) -> Bool { groups.contains("\(key)[]") }

    /// Returns the names directly below a group, in the order of the table.
    static func names(below group: String) -> [String] {
        var names: [String] = []
        for setting in settings where setting.key.hasPrefix(group + ".") {
            let name = setting.key.dropFirst(group.count + 1).prefix { $0 != "." && $0 != "[" }
            if names.last != String(name) { names.append(String(name)) }
        }
        return names
    }

    /// Returns the most similar key by edit distance, or else one with the same last component.
    static func suggestion(for key: String) -> String? {
        let near = settings.map { (key: $0.key, distance: key.editDistance(to: $0.key)) }
            .min { $0.distance < $1.distance }
        if let near, near.distance > 0, near.distance <= max(2, key.count / 4) { return near.key }
        let name = key.split(separator: ".").last
        return settings.first { $0.key.split(separator: ".").last == name }?.key
    }
}

extension SettingTable {
    /// The suggestion if no key is similar.
    static let listing = "see 'symbolist serve --list-settings'"
}

extension Problem {
    /// - Parameter key: The key in the form of the table.
    static func unknownKey(_ key: String, at location: String) -> Self {
        let near = SettingTable.suggestion(for: key)
        return Self(
            location, detail: "no such key",
            suggestion: near.map { "did you mean '\($0)'?" } ?? SettingTable.listing)
    }
}

extension String {
    /// Returns the number of characters to insert, delete or replace. Strings longer than any key
    /// are compared by their prefixes.
    package func editDistance(to other: String) -> Int {
        let (left, right) = (utf8.prefix(64), Array(other.utf8.prefix(64)))
        var row = Array(0...right.count)
        for (number, byte) in zip(1..., left) {
            var diagonal = row[0]
            row[0] = number
            for column in right.indices {
                let replaced = diagonal + (right[column] == byte ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}

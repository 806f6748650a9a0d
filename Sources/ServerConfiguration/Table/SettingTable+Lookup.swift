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

    /// Returns the most similar key or group by edit distance, or else a key with the same last
    /// component.
    static func suggestion(for key: String) -> String? {
        let groups = groups.map { String($0.hasSuffix("[]") ? $0.dropLast(2) : $0) }.sorted()
        // Names of groups are short, so that most words are similar to one of them.
        let similar =
            nearest(to: key, in: settings.map(\.key), limit: max(2, key.count / 4))
            + nearest(to: key, in: groups, limit: key.count / 3)
        if let nearest = similar.min(by: { $0.distance < $1.distance }) { return nearest.name }
        let name = key.split(separator: ".").last
        return settings.first { $0.key.split(separator: ".").last == name }?.key
    }

    /// Returns the name with the smallest distance above 0, if it is within a limit.
    private static func nearest(
        to key: String, in names: [String], limit: Int
    ) -> [(name: String, distance: Int)] {
        let near = names.map { (name: $0, distance: key.editDistance(to: $0)) }
            .min { $0.distance < $1.distance }
        return near.flatMap { (1...max(limit, 1)).contains($0.distance) ? [$0] : nil } ?? []
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

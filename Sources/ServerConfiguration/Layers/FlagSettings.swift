import Problems

/// Reads settings given as flags.
struct FlagSettings {
    private(set) var layer = SettingLayer()
    private(set) var problems: [SettingProblem] = []

    /// - Parameter flags: Values by key, with positions in lists: `export.0.url`.
    init(_ flags: [String: String]) {
        for (key, text) in flags.sorted(by: { $0.key < $1.key }) {
            do throws(SettingProblem) {
                let setting = try Self.setting(key)
                let texts = setting.kind.isList ? text.listed : [text]
                problems += layer.add(
                    SettingValue(texts: texts, location: key.shownKey), setting, key: key)
            } catch { problems.append(error) }
        }
    }

    /// Returns the setting of a key.
    ///
    /// - Throws: A problem if the key is not in the form in which settings are looked up, so that
    ///   its value would be ignored.
    private static func setting(_ key: String) throws(SettingProblem) -> Setting {
        // In the form of the table, `export[]` is the whole list.
        if let bracket = key.firstIndex(of: "["), SettingTable.isList(String(key[..<bracket])) {
            let list = key[..<bracket]
            throw SettingProblem(
                key: key,
                problem: Problem(
                    key, detail: "does not say which entry of the list",
                    suggestion: "use '\(list).0' for the first one"))
        }
        let parts = key.split(separator: ".", omittingEmptySubsequences: false)
        guard !parts.contains(""), let setting = SettingTable.setting(key.tableKey) else {
            let shown = parts.contains("") ? key : key.shownKey
            throw SettingProblem(key: key, problem: .unknownKey(key.tableKey, at: shown))
        }
        for part in parts {
            guard let position = Int(part) else { continue }
            if position >= SettingLayer.listLimit || part != "\(position)" {
                throw SettingProblem(
                    key: key,
                    problem: Problem(
                        key.shownKey, detail: "'\(part)' is not a position in a list",
                        suggestion: "use 0 to \(SettingLayer.listLimit - 1)"))
            }
        }
        return setting
    }
}

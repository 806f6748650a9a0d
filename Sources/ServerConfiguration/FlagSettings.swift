/// Takes the settings that were given as flags.
struct FlagSettings {
    private(set) var layer = SettingLayer()
    private(set) var problems: [SettingProblem] = []

    /// - Parameter flags: Values by their keys, with positions in lists: `export.0.url`.
    init(_ flags: [String: String]) {
        for (key, text) in flags.sorted(by: { $0.key < $1.key }) {
            guard let setting = SettingTable.setting(key.tableKey) else {
                let next =
                    SettingTable.suggestion(for: key.tableKey).map { "did you mean '\($0)'?" }
                    ?? "see 'symbolist serve --help' for all keys"
                problems.append(
                    SettingProblem(key: key, text: "\(key.shownKey): no such key: \(next)"))
                continue
            }
            let texts = setting.kind.isList ? text.listed : [text]
            problems += layer.add(
                GivenValue(texts: texts, place: key.shownKey), setting, key: key)
        }
    }
}

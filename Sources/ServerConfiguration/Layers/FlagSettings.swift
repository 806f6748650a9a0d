/// Reads settings given as flags.
struct FlagSettings {
    private(set) var layer = SettingLayer()
    private(set) var problems: [SettingProblem] = []

    /// - Parameter flags: Values by key, with positions in lists: `export.0.url`.
    init(_ flags: [String: String]) {
        for (key, text) in flags.sorted(by: { $0.key < $1.key }) {
            guard let setting = SettingTable.setting(key.tableKey) else {
                problems.append(
                    SettingProblem(key: key, problem: .unknownKey(key.tableKey, at: key.shownKey)))
                continue
            }
            let texts = setting.kind.isList ? text.listed : [text]
            problems += layer.add(
                SettingValue(texts: texts, location: key.shownKey), setting, key: key)
        }
    }
}

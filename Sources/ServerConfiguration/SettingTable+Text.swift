extension SettingTable {
    /// For `serve --help`: each key with its default, what it is, what it takes, and its variable.
    public static var help: String {
        settings.map { setting in
            let standard = setting.standard.map { " = \($0)" } ?? ""
            return """
                  \(setting.key)\(standard)
                    \(setting.meaning)
                    \(setting.kind.name); \(setting.variable)
                """.replacing("`", with: "")
        }.joined(separator: "\n")
    }

    /// For the README: a table of all keys.
    public static var markdown: String {
        let rows = settings.map { setting in
            let standard = setting.standard.map { "`\($0)`" } ?? ""
            return "| `\(setting.key)` | \(setting.kind.name) | \(standard) | \(setting.meaning) | "
                + "`\(setting.variable)` |"
        }
        return
            (["| key | takes | default | what it is | variable |", "|---|---|---|---|---|"] + rows)
            .joined(separator: "\n") + "\n"
    }
}

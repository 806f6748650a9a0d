@testable import ServerConfiguration

extension SettingTable {
    /// Each key with its default, as a paragraph of `README.md`.
    static var paragraph: String {
        settings.map { "`\($0.assignment)`" }.joined(separator: ", ")
    }

    /// The table of all keys in `Documentation/Configuration.md`.
    static var markdown: String {
        let rows = settings.map { setting in
            let defaultValue = setting.defaultValue.map { "`\($0)`" } ?? ""
            return
                "| `\(setting.key)` | \(setting.kind.name) | \(defaultValue) | \(setting.summary) | "
                + "`\(setting.variable)` |"
        }
        return
            ([
                "| Key | Value | Default | Meaning | Environment variable |",
                "|---|---|---|---|---|",
            ] + rows)
            .joined(separator: "\n") + "\n"
    }
}

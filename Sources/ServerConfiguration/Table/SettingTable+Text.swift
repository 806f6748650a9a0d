extension SettingTable {
    /// The text of `serve --list-settings`: each key with its default, description, values and
    /// environment variable.
    public static var help: String {
        settings.map { setting in
            let value = setting.defaultValue.map { " = \($0)" } ?? ""
            let isWide = setting.key.count + value.count > helpWidth
            let defaultValue = isWide ? "\n   \(value)" : value
            let description =
                lines(of: setting.summary) + lines(of: "\(setting.kind.name); \(setting.variable)")
            return """
                  \(setting.key)\(defaultValue)
                \(description.map { "    \($0)" }.joined(separator: "\n"))
                """
        }.joined(separator: "\n").replacing("`", with: "")
    }

    /// The maximum width of a help line without indentation, in columns.
    private static let helpWidth = 76

    /// Returns a text without code marks, wrapped for a terminal.
    private static func lines(of text: String) -> [String] {
        var lines: [String] = []
        for word in text.replacing("`", with: "").split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= helpWidth {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// The table of all keys in `Documentation/Configuration.md`.
    public static var markdown: String {
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

extension SettingTable {
    /// For `serve --help`: each key with its default, what it is, what it takes, and its variable.
    public static var help: String {
        settings.map { setting in
            let standard = setting.standard.map { " = \($0)" } ?? ""
            return """
                  \(setting.key)\(standard)
                \(lines(of: setting.meaning).map { "    \($0)" }.joined(separator: "\n"))
                    \(setting.kind.name); \(setting.variable)
                """
        }.joined(separator: "\n").replacing("`", with: "")
    }

    /// The longest line of help, without its indentation, in columns.
    private static let helpWidth = 76

    /// A text without its marks of code, in lines that fit a terminal.
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

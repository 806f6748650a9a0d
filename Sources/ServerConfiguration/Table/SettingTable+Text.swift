import Algorithms

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

    /// Each key with its default, in lines for each group of keys: `http.host=127.0.0.1 http.hosts`.
    public static var summary: String {
        let groups = settings.chunked { $0.group == $1.group }
        return groups.flatMap { group in
            lines(of: group.map(\.words).joined(separator: " "))
        }.joined(separator: "\n")
    }

    /// The maximum width of a help line without indentation, in columns.
    fileprivate static let helpWidth = 76

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
}

extension Setting {
    /// The key's first word.
    fileprivate var group: Substring { key.prefix { $0 != "." } }

    private var assignedValue: String { defaultValue.map { "=\($0)" } ?? "" }

    var assignment: String { key + assignedValue }

    /// The assignment, in two words if it is longer than a line.
    fileprivate var words: String {
        assignment.count > SettingTable.helpWidth ? "\(key) \(assignedValue)" : assignment
    }
}

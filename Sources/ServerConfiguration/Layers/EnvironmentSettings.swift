import Problems

/// Reads settings from environment variables.
struct EnvironmentSettings {
    /// The variables of client commands.
    static let clientVariables: Set<String> = [
        "SYMBOLIST_SERVER", "SYMBOLIST_TOKEN", "SYMBOLIST_TOKEN_FILE", "SYMBOLIST_SYMBOLS",
        "SYMBOLIST_CACHE", "SYMBOLIST_DEBUG_FOLDERS", "SYMBOLIST_CLIENT_CERTIFICATE",
        "SYMBOLIST_CLIENT_KEY",
    ]

    private(set) var layer = SettingLayer()
    private(set) var problems: [SettingProblem] = []
    /// Warnings about unknown variables. They do not prevent the service from starting, because
    /// other programs set variables with this prefix too, such as Kubernetes for a service named
    /// `symbolist`.
    private(set) var warnings: [Problem] = []

    init(_ environment: [String: String]) {
        for (variable, text) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix(SettingTable.variablePrefix) {
            // Many tools leave a variable empty to unset it.
            if text.isEmpty || Self.clientVariables.contains(variable) { continue }
            guard let (setting, key) = Self.setting(of: variable) else {
                warn(variable)
                continue
            }
            let texts = setting.kind.isList ? text.listed : [text]
            let value = SettingValue(texts: texts, location: variable)
            problems += layer.add(value, setting, key: key)
        }
    }

    /// Returns the setting of a variable, and its key with the position in the list.
    private static func setting(of variable: String) -> (Setting, key: String)? {
        let parts = variable.split(separator: "_", omittingEmptySubsequences: false)
        let position = parts.firstIndex {
            Int($0).map((0..<SettingLayer.listLimit).contains) ?? false
        }
        let pattern = parts.indices.map { $0 == position ? "N" : String(parts[$0]) }
        guard let setting = byVariable[pattern.joined(separator: "_")] else { return nil }
        let key = setting.key.replacing("[]", with: position.map { ".\(parts[$0])" } ?? "")
        return (setting, key)
    }

    private static let byVariable = Dictionary(
        uniqueKeysWithValues: SettingTable.settings.map { ($0.variable, $0) })

    private mutating func warn(_ variable: String) {
        let near = SettingTable.settings.map(\.variable).map { name in
            (name: name, distance: variable.editDistance(to: name))
        }.min { $0.distance < $1.distance }
        let next = near.flatMap { $0.distance <= 3 ? "did you mean '\($0.name)'?" : nil }
        warnings.append(
            Problem(
                variable, detail: "no setting has this variable",
                suggestion: next ?? SettingTable.listing))
    }
}

extension String {
    /// The parts between commas, without surrounding spaces.
    var listed: [String] {
        split(separator: ",").map { part in
            let start = part.drop { $0 == " " }
            return String(start.prefix(start.count - start.reversed().prefix { $0 == " " }.count))
        }
    }
}

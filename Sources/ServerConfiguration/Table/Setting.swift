/// A key of the configuration, with its values, default and description.
public struct Setting: Hashable, Sendable {
    /// The key, with dots between its components and `[]` after the name of a list: `export[].url`.
    public let key: String
    public let kind: SettingKind
    /// The default in the form of the configuration file, or `nil` if there is none.
    public let defaultValue: String?
    /// A short description.
    public let summary: String

    init(_ key: String, _ kind: SettingKind, default defaultValue: String? = nil, summary: String) {
        self.key = key
        self.kind = kind
        self.defaultValue = defaultValue
        self.summary = summary
    }

    /// Its environment variable, with `N` for the zero-based position in a list:
    /// `SYMBOLIST_EXPORT_N_URL`.
    public var variable: String {
        let name = key.uppercased().replacing("[]", with: "_N").replacing(".", with: "_")
        return SettingTable.variablePrefix + name
    }

    /// Whether a reload applies a changed value, without a restart.
    public var isReloaded: Bool {
        key == "log.level" || key.hasPrefix("auth.tokens[].") || key.hasPrefix("tls.")
    }

    /// Whether its value must never be shown.
    public var isSecret: Bool { kind == .secret || kind == .pairs }
}

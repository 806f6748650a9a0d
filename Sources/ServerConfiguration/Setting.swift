/// One key of the configuration: what it takes, what it is when nobody says, and what it is for.
public struct Setting: Hashable, Sendable {
    /// With dots between its parts, and `[]` behind the name of a list: `export[].url`.
    public let key: String
    public let kind: SettingKind
    /// As it would be written; `nil` where there is none.
    public let standard: String?
    /// A phrase.
    public let meaning: String

    init(_ key: String, _ kind: SettingKind, standard: String? = nil, _ meaning: String) {
        self.key = key
        self.kind = kind
        self.standard = standard
        self.meaning = meaning
    }

    /// Its environment variable, with `N` for the position in a list, from 0:
    /// `SYMBOLIST_EXPORT_N_URL`.
    public var variable: String {
        let name = key.uppercased().replacing("[]", with: "_N").replacing(".", with: "_")
        return SettingTable.variablePrefix + name
    }

    /// Whether its value may never be shown.
    public var isSecret: Bool { kind == .secret || kind == .pairs }
}

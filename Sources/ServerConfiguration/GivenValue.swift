/// A value as somebody gave it, before it is checked.
struct GivenValue: Hashable {
    /// One, unless the setting takes several.
    var texts: [String]
    /// Where it stands, as errors name it: `symbolist.yaml:12: http.port` or `SYMBOLIST_HTTP_PORT`.
    var place: String
}

/// The values of one source, by their keys with positions in lists: `export.0.url`.
struct SettingLayer {
    var values: [String: GivenValue] = [:]
    /// Where the entries of lists begin, by keys such as `export.0`, as far as that is known.
    var itemPlaces: [String: String] = [:]

    /// How many entries a list may have.
    static let listLimit = 64

    /// Takes a value if its setting may have it.
    ///
    /// - Returns: What is wrong with it otherwise.
    mutating func add(_ value: GivenValue, _ setting: Setting, key: String) -> [SettingProblem] {
        let complaints = value.texts.compactMap { text in
            setting.kind.complaint(about: text).map { complaint in
                let shown = setting.isSecret ? "the value" : "'\(text)'"
                return SettingProblem(key: key, text: "\(value.place): \(shown) \(complaint)")
            }
        }
        if complaints.isEmpty { values[key] = value }
        return complaints
    }
}

/// Something in the configuration that keeps the service from starting.
struct SettingProblem: Error, Hashable {
    /// With positions in lists: `export.0.url`. Empty if it is about the file as a whole.
    var key: String
    /// Subject, what happened, next step.
    var text: String
}

extension String {
    /// `export[0].url`, as people see the key `export.0.url`.
    var shownKey: String {
        split(separator: ".").reduce(into: "") { shown, part in
            if Int(part) != nil {
                shown += "[\(part)]"
            } else {
                shown += shown.isEmpty ? part : ".\(part)"
            }
        }
    }

    /// `export[].url`, as the table has the key `export.0.url`.
    var tableKey: String {
        shownKey.replacing(/\[[0-9]+\]/, with: "[]")
    }
}

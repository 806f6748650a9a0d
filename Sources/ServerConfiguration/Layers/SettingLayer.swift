import Problems

/// A value from one source, as strings.
struct SettingValue: Hashable {
    /// One string, unless the setting takes several.
    var texts: [String]
    /// Its location in errors: `symbolist.yaml:12: http.port` or `SYMBOLIST_HTTP_PORT`.
    var location: String
}

/// The values of one source, by keys with positions in lists: `export.0.url`.
struct SettingLayer {
    var values: [String: SettingValue] = [:]
    /// The locations of list entries, by keys such as `export.0`, if the source has them.
    var itemLocations: [String: String] = [:]

    /// The maximum number of entries in a list.
    static let listLimit = 64

    /// Adds a value if it is valid for its setting.
    ///
    /// - Returns: The problems of an invalid value.
    mutating func add(_ value: SettingValue, _ setting: Setting, key: String) -> [SettingProblem] {
        let problems = value.texts.compactMap { text in
            setting.kind.problem(with: text).map { problem in
                let shown = setting.isSecret ? "the value" : "'\(text)'"
                return SettingProblem(
                    key: key,
                    problem: Problem(
                        value.location, detail: "\(shown) \(problem.detail)",
                        suggestion: problem.suggestion))
            }
        }
        if problems.isEmpty { values[key] = value }
        return problems
    }
}

/// A problem that prevents the service from starting.
struct SettingProblem: Error, Hashable {
    /// The key, with positions in lists: `export.0.url`. Empty if the problem concerns the whole
    /// file.
    var key: String
    /// Its subject is the location of the value.
    var problem: Problem

    init(key: String, problem: Problem) {
        self.key = key
        self.problem = problem
    }
}

extension String {
    /// The key in the form of messages: `export[0].url` for `export.0.url`.
    var shownKey: String {
        split(separator: ".").reduce(into: "") { shown, part in
            if Int(part) != nil {
                shown += "[\(part)]"
            } else {
                shown += shown.isEmpty ? part : ".\(part)"
            }
        }
    }

    /// The key in the form of the table: `export[].url` for `export.0.url`.
    var tableKey: String {
        shownKey.replacing(/\[[0-9]+\]/, with: "[]")
    }
}

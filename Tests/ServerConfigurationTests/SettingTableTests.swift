import Problems
import Testing

@testable import ServerConfiguration

@Suite("The table of settings")
struct SettingTableTests {
    @Test("every default is valid for its setting", arguments: SettingTable.settings)
    func defaults(setting: Setting) {
        guard let standard = setting.defaultValue else { return }
        #expect(setting.kind.problem(with: standard) == nil)
    }

    @Test(
        "every value that the problem of a range suggests is valid",
        arguments: SettingTable.settings)
    func ranges(setting: Setting) {
        let (bounds, outside) = bounds(setting.kind)
        for bound in bounds { #expect(setting.kind.problem(with: bound) == nil, "\(bound)") }
        for value in outside {
            let problem = setting.kind.problem(with: value)
            #expect(problem != nil, "\(value)")
            let suggestion = problem?.suggestion ?? ""
            for suggested in suggestion.matches(of: /[0-9]+[a-zA-Z]*/).map(\.output) {
                #expect(setting.kind.problem(with: String(suggested)) == nil, "\(suggestion)")
            }
            #expect(bounds.allSatisfy(suggestion.contains), "\(suggestion)")
        }
    }

    /// Returns the bounds of a range, and values on both sides of it.
    private func bounds(_ kind: SettingKind) -> (bounds: [String], outside: [String]) {
        func texts<Value: SettingQuantity>(
            _ range: ClosedRange<Value>, _ values: [String]
        ) -> (bounds: [String], outside: [String]) {
            guard let text = range.settingText else { return ([], []) }
            let bounds = [range.lowerBound, range.upperBound].map(\.settingText)
            let outside = values.filter { text in
                Value(settingText: text).map { !range.contains($0) } ?? false
            }
            return (bounds.filter(text.contains), outside)
        }
        return switch kind {
        case .duration(let range): texts(range, ["0s", "36500d"])
        case .size(let range): texts(range, ["0B", "\(Int64.max)"])
        case .unless(_, let kind): bounds(kind)
        default: ([], [])
        }
    }

    @Test("keys and variables are unique")
    func unique() {
        #expect(Set(SettingTable.settings.map(\.key)).count == SettingTable.settings.count)
        #expect(Set(SettingTable.settings.map(\.variable)).count == SettingTable.settings.count)
    }

    @Test("no setting uses a variable of the client commands")
    func clientVariables() {
        let variables = Set(SettingTable.settings.map(\.variable))
        #expect(variables.isDisjoint(with: EnvironmentSettings.clientVariables))
    }

    @Test("the variable of every setting is read", arguments: SettingTable.settings)
    func variables(setting: Setting) throws {
        let variable = setting.variable.replacing("_N_", with: "_7_")
        let settings = EnvironmentSettings([variable: sample(setting.kind)])
        #expect(settings.warnings == [])
        #expect(settings.problems == [])
        let key = setting.key.replacing("[]", with: ".7")
        #expect(settings.layer.values[key]?.location == variable)
    }

    @Test(
        "help and the reference name every key with its variable", arguments: SettingTable.settings)
    func texts(setting: Setting) {
        for text in [SettingTable.help, SettingTable.markdown] {
            #expect(text.contains(setting.key))
            #expect(text.contains(setting.variable))
        }
        #expect(!setting.summary.contains("|"))
    }

    @Test("help fits a terminal")
    func helpWidth() {
        for line in SettingTable.help.split(separator: "\n") {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test("the reference has a row for each key, with its default")
    func markdown() {
        let lines = SettingTable.markdown.split(separator: "\n")
        #expect(lines.count == SettingTable.settings.count + 2)
        #expect(
            lines.contains(
                "| `http.port` | 0 to 65535 | `4318` | Port for HTTP; 0 picks a free port | "
                    + "`SYMBOLIST_HTTP_PORT` |"))
        #expect(
            lines.contains { $0.hasPrefix("| `tls.key` | path |  | ") })
    }

    @Test(
        "a similar key is suggested",
        arguments: [
            ("http.prot", "http.port"), ("htpp.port", "http.port"), ("http_port", "http.port"),
            ("port", "http.port"), ("exports[].url", "export[].url"),
            ("export[].retry.maximum", "export[].retry.max"), ("stacktrace", nil),
            ("something.else.entirely", nil), ("expotr", "export"), ("exports", "export"),
            ("htpp", "http"), ("limit", "limits"), ("auth.token", "auth.tokens"),
            ("export[].retri", "export[].retry"), ("zzz", nil),
        ] as [(String, String?)])
    func suggestions(key: String, expected: String?) {
        #expect(SettingTable.suggestion(for: key) == expected)
    }

    @Test(
        "edit distances are counted in characters",
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "ab", 2), ("port", "prot", 2), ("kitten", "sitting", 3),
        ])
    func distances(left: String, right: String, distance: Int) {
        #expect(left.editDistance(to: right) == distance)
    }

    private func sample(_ kind: SettingKind) -> String {
        switch kind {
        case .text, .secret, .path: "x"
        case .url: "http://localhost:1"
        case .boolean: "true"
        case .number(let range): "\(range.upperBound)"
        case .duration(let range): range.lowerBound.settingText
        case .size(let range): range.upperBound.settingText
        case .choice(let names), .choices(let names): names.first ?? ""
        case .patterns: "*x"
        case .hosts: "symbols.example.com"
        case .origins: "https://pages.example.com"
        case .texts: "swift"
        case .pairs: "a=b"
        case .digest: String(repeating: "aB", count: 32)
        case .unless(let word, _): word
        }
    }
}

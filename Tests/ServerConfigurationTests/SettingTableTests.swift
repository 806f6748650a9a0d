import Testing

@testable import ServerConfiguration

@Suite("The table of settings")
struct SettingTableTests {
    @Test("every default is valid for its setting", arguments: SettingTable.settings)
    func defaults(setting: Setting) {
        guard let standard = setting.defaultValue else { return }
        #expect(setting.kind.problem(with: standard) == nil)
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
            ("something.else.entirely", nil),
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
        case .duration: "1s"
        case .size, .sizeOrZero: "1KiB"
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

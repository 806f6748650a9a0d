public import Problems
public import Telemetry

/// A loaded configuration with its warnings.
public struct LoadedConfiguration: Sendable {
    public var configuration: ServerConfiguration
    public var warnings: [Problem]
    /// The given settings, by keys with positions in lists.
    var texts: [String: [String]]

    /// Returns the keys, in the form of messages, whose settings differ from those of an earlier
    /// configuration and only take effect at the next start.
    public func keysNeedingRestart(since earlier: Self) -> [String] {
        Set(texts.keys).union(earlier.texts.keys).filter { key in
            guard let setting = SettingTable.setting(key.tableKey), !setting.isReloaded
            else { return false }
            let defaults = setting.defaultValue.map { [$0] }
            return texts[key] ?? defaults != earlier.texts[key] ?? defaults
        }.map(\.shownKey).sorted()
    }
}

/// All problems that make the configuration unusable, not only the first one.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    public let problems: [Problem]
    /// The configured format of the log, as far as it is known.
    public let logFormat: LogFormat

    public init(problems: [Problem], logFormat: LogFormat = .text) {
        self.problems = problems
        self.logFormat = logFormat
    }

    /// One line per problem: `symbolist.yaml:12: http.prot: no such key: did you mean 'http.port'?`
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

extension ServerConfiguration {
    /// Loads the settings of all sources. Flags take precedence over the environment, and the
    /// environment over the file.
    ///
    /// - Parameters:
    ///   - file: The path of a YAML file, or `nil` for none.
    ///   - environment: All environment variables. Those of the service start with `SYMBOLIST_`.
    ///   - flags: Values by key, with positions in lists: `export.0.url`.
    ///   - lists: The lists that only flags set, such as `export`. Entries of other lists complete
    ///     those of the other sources.
    public static func load(
        file: String?, environment: [String: String], flags: [String: String] = [:],
        replacing lists: Set<String> = []
    ) throws(ConfigurationError) -> LoadedConfiguration {
        try load(
            file: file.map(ConfigurationFile.init(path:)), environment: environment, flags: flags,
            replacing: lists)
    }

    static func load(
        file: ConfigurationFile?, environment: [String: String], flags: [String: String],
        replacing lists: Set<String>
    ) throws(ConfigurationError) -> LoadedConfiguration {
        let environment = EnvironmentSettings(environment)
        let flags = FlagSettings(flags)
        let invalid = (file?.problems ?? []) + environment.problems + flags.problems
        let reader = SettingReader(
            file: file?.layer ?? SettingLayer(), environment: environment.layer,
            flags: flags.layer, replacing: lists)
        var conflicts: [SettingProblem] = []
        let configuration = Self(reader, problems: &conflicts)
        // An invalid value may be the cause of a conflict in the same group.
        conflicts.removeAll { conflict in invalid.contains { conflict.mayFollow(from: $0) } }
        let problems = invalid + conflicts
        guard problems.isEmpty else {
            throw ConfigurationError(
                problems: problems.map(\.problem), logFormat: configuration.log.format)
        }
        return LoadedConfiguration(
            configuration: configuration, warnings: environment.warnings, texts: reader.givenTexts)
    }
}

extension SettingProblem {
    /// Whether the other problem may have caused this one: both concern the same group or list
    /// entry.
    fileprivate func mayFollow(from other: Self) -> Bool {
        if other.key.isEmpty { return true }
        func group(_ key: String) -> [Substring] {
            let parts = key.split(separator: ".")
            let end = parts.firstIndex { Int($0) != nil }.map { $0 + 1 } ?? 1
            return Array(parts[..<min(end, parts.count)])
        }
        return group(key) == group(other.key)
    }
}

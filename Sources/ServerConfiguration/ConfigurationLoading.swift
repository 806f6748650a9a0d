/// The configuration as it was read, and what should be said about it.
public struct LoadedConfiguration: Sendable {
    public var configuration: ServerConfiguration
    /// One sentence each.
    public var warnings: [String]
}

/// Why the service does not start: everything that is wrong, not only the first of it.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One line each: `symbolist.yaml:12: http.prot: no such key: did you mean 'http.port'?`
    public let problems: [String]

    public init(problems: [String]) { self.problems = problems }

    public var description: String { problems.joined(separator: "\n") }
}

extension ServerConfiguration {
    /// Reads the settings of all sources. Of two values of a key the later source counts.
    ///
    /// - Parameters:
    ///   - file: The path of a YAML file, if there is one.
    ///   - environment: All variables; those of the service begin with `SYMBOLIST_`.
    ///   - flags: Values by their keys, with positions in lists: `export.0.url`. A list of which an
    ///     entry is given here replaces that of the other sources.
    public static func load(
        file: String?, environment: [String: String], flags: [String: String] = [:]
    ) throws(ConfigurationError) -> LoadedConfiguration {
        try load(file: file.map(ConfigurationFile.init(path:)), environment, flags)
    }

    static func load(
        file: ConfigurationFile?, _ environment: [String: String], _ flags: [String: String]
    ) throws(ConfigurationError) -> LoadedConfiguration {
        let environment = EnvironmentSettings(environment)
        let flags = FlagSettings(flags)
        let wrong = (file?.problems ?? []) + environment.problems + flags.problems
        let reader = SettingReader(
            file: file?.layer ?? SettingLayer(), environment: environment.layer,
            flags: flags.layer)
        var conflicts: [SettingProblem] = []
        let configuration = Self(reader, problems: &conflicts)
        // A value that was not taken may be just what another one lacks.
        conflicts.removeAll { conflict in wrong.contains { conflict.mayFollow(from: $0) } }
        let problems = wrong + conflicts
        guard problems.isEmpty else { throw ConfigurationError(problems: problems.map(\.text)) }
        return LoadedConfiguration(configuration: configuration, warnings: environment.warnings)
    }
}

extension SettingProblem {
    /// Whether both are about one group, or one entry of a list.
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

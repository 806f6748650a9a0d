import ArgumentParser
import Foundation
import Problems
import ServerConfiguration

/// `symbolist serve`: runs the service.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Receive, symbolicate and export diagnostics.",
        discussion: """
            Accepts OTLP over HTTP and gRPC and raw MetricKit payloads, stores each request in its \
            data folder before acknowledging it, and sends enriched log records to the exporters. \
            Flags take precedence over the environment, and the environment over the YAML file.

            Examples:
              symbolist serve --export https://otel.example.com
              symbolist serve --config symbolist.yaml --set hold=30s

            Settings with their defaults; --list-settings explains each:
            \(SettingTable.summary.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
            """)

    @Option(
        help: ArgumentHelp("Configuration file (YAML).", valueName: "file"), completion: .file())
    var config: String?

    @Option(help: ArgumentHelp("Data folder.", valueName: "folder"))
    var data: String?

    @Option(help: ArgumentHelp("Listen address for HTTP.", valueName: "host:port"))
    var http: String?

    @Option(help: ArgumentHelp("Listen address for gRPC.", valueName: "host:port"))
    var grpc: String?

    @Option(
        name: .customLong("export"),
        help: ArgumentHelp(
            """
            Destination of records: http(s)://… or grpc(s)://… for OTLP, file:PATH, or stdout:; \
            may be repeated.
            """, valueName: "url"))
    var exports: [String] = []

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Any setting; may be repeated.", valueName: "key=value"))
    var settings: [String] = []

    @Flag(help: "Explain every setting, and exit.")
    var listSettings = false

    func run() async throws {
        if listSettings {
            Console.result(SettingTable.help)
            return
        }
        let loaded: LoadedConfiguration
        do throws(ConfigurationError) { loaded = try read() } catch {
            throw FailureReport(format: error.logFormat).end(with: error.problems)
        }
        let report = FailureReport(format: loaded.configuration.log.format)
        for warning in loaded.warnings { report.warn(warning) }
        let problems = ConfiguredFiles(configuration: loaded.configuration).problems
        guard problems.isEmpty else { throw report.end(with: problems) }
        do {
            try await ServerRun(loaded: loaded) {
                () throws(ConfigurationError) in try read()
            }.run()
        } catch { throw report.end(with: error) }
    }

    private func read() throws(ConfigurationError) -> LoadedConfiguration {
        try ServerConfiguration.load(
            file: config, environment: ProcessInfo.processInfo.environment, flags: try flags(),
            replacing: exports.isEmpty ? [] : ["export"])
    }

    /// Returns the settings given by flags. If a flag is repeated, the last value is used.
    private func flags() throws(ConfigurationError) -> [String: String] {
        var flags: [String: String] = [:]
        if let data { flags["data"] = data }
        for (group, address) in [("http", http), ("grpc", grpc)] {
            guard let address else { continue }
            flags.merge(
                try FlagShorthands.listener(group, flag: "--\(group)", address: address),
                uniquingKeysWith: { $1 })
        }
        flags.merge(try FlagShorthands.exports(exports)) { $1 }
        flags.merge(try FlagShorthands.settings(settings)) { $1 }
        return flags
    }
}

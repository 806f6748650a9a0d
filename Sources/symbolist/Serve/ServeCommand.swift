import ArgumentParser
import Foundation
import ServerConfiguration

/// `symbolist serve`: the service.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Receive diagnostics, symbolicate them, and send them on.",
        discussion: """
            Takes OTLP over HTTP and gRPC and raw MetricKit payloads, keeps what it acknowledges in \
            its data folder, and sends enriched log records to the exporters. Settings come from a \
            YAML file, then from the environment, then from these flags; later ones count.

            Examples:
              symbolist serve --export https://otel.example.com
              symbolist serve --config symbolist.yaml --set hold=30s
            """)

    @Option(
        help: ArgumentHelp("A YAML file with settings.", valueName: "file"), completion: .file())
    var config: String?

    @Option(help: ArgumentHelp("Where everything is kept.", valueName: "folder"))
    var data: String?

    @Option(help: ArgumentHelp("Where HTTP is listened for.", valueName: "host:port"))
    var http: String?

    @Option(help: ArgumentHelp("Where gRPC is listened for.", valueName: "host:port"))
    var grpc: String?

    @Option(
        name: .customLong("export"),
        help: ArgumentHelp(
            """
            Where records are sent: http(s)://… or grpc(s)://… for OTLP, file:PATH, or stdout:; may \
            be repeated.
            """, valueName: "url"))
    var exports: [String] = []

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Any other setting; may be repeated.", valueName: "key=value"))
    var settings: [String] = []

    @Flag(help: "Print every setting with its default, and exit.")
    var listSettings = false

    func run() async throws {
        if listSettings {
            Console.result(SettingTable.help)
            return
        }
        let loaded: LoadedConfiguration
        do throws(ConfigurationError) { loaded = try read() } catch {
            for problem in error.problems { Console.problem(problem) }
            throw Outcome.wrongUsage
        }
        for warning in loaded.warnings { Console.problem(warning) }
        try await ServeRun(
            loaded.configuration, read: { () throws(ConfigurationError) in try read() }
        )
        .run()
    }

    private func read() throws(ConfigurationError) -> LoadedConfiguration {
        try ServerConfiguration.load(
            file: config, environment: ProcessInfo.processInfo.environment, flags: try flags())
    }

    /// The settings that flags stand for. What is set twice counts as said last.
    private func flags() throws(ConfigurationError) -> [String: String] {
        var flags: [String: String] = [:]
        if let data { flags["data"] = data }
        for (group, address) in [("http", http), ("grpc", grpc)] {
            guard let address else { continue }
            flags.merge(
                try FlagOverrides.listener(group, flag: "--\(group)", address),
                uniquingKeysWith: {
                    $1
                })
        }
        flags.merge(try FlagOverrides.exports(exports)) { $1 }
        for setting in settings {
            guard let separator = setting.firstIndex(of: "=") else {
                throw ConfigurationError(problems: [
                    "--set \(setting): has no value: write KEY=VALUE"
                ])
            }
            flags[String(setting[..<separator])] = String(
                setting[setting.index(after: separator)...])
        }
        return flags
    }
}

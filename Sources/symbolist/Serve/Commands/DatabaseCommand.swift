import ArgumentParser
import CallStacks
import Foundation
import Ingest
import MetricKitPayloads
import PostgreSQL
import Problems
import ServerConfiguration
import SharedDatabase

/// `symbolist database`: shows or changes the tables that several nodes share.
struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Show or change the tables of a shared database.",
        discussion: """
            Uses database.url of the configuration.

            Examples:
              symbolist database status --config symbolist.yaml
              symbolist database migrate --config symbolist.yaml
            """,
        subcommands: [Status.self, Migrate.self])

    struct Address: ParsableArguments {
        @Option(
            help: ArgumentHelp("Configuration file (YAML).", valueName: "file"),
            completion: .file())
        var config: String?

        @Option(
            name: .customLong("set"),
            help: ArgumentHelp("Any setting; may be repeated.", valueName: "key=value"))
        var settings: [String] = []

        /// Whether to read the configuration: an option names it, or the environment has the
        /// settings of a node.
        var isGiven: Bool {
            config != nil || !settings.isEmpty
                || ProcessInfo.processInfo.environment["SYMBOLIST_DATABASE_URL"] != nil
        }

        /// Returns the configuration.
        ///
        /// - Throws: ``Outcome/wrongUsage`` if it is invalid.
        func configuration() throws -> ServerConfiguration {
            let loaded: LoadedConfiguration
            do throws(ConfigurationError) {
                loaded = try ServerConfiguration.load(
                    file: config, environment: ProcessInfo.processInfo.environment,
                    flags: try FlagShorthands.settings(settings))
            } catch {
                for problem in error.problems { Console.problem(problem) }
                throw Outcome.wrongUsage
            }
            return loaded.configuration
        }

        /// Returns the address of the database.
        ///
        /// - Throws: ``Outcome/wrongUsage`` if the configuration is invalid or names none.
        func connectionSettings() throws -> ConnectionSettings {
            guard let database = try configuration().cluster?.database else {
                throw DatabaseCommand.noDatabase()
            }
            return try ConnectionSettings(
                url: database.url.value, passwordFile: database.passwordFile)
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show the version of the tables, the nodes and their backlogs.",
            discussion: """
                Exits with 1 if this program cannot use the tables.

                Examples:
                  symbolist database status --config symbolist.yaml
                """)

        @OptionGroup var address: Address

        func run() async throws {
            let settings = try address.connectionSettings()
            let versions = try await SharedDatabase.tableVersions(settings)
            let stored = versions.stored.map { "version \($0)" } ?? "none"
            Console.result(
                "\(settings): tables: \(stored), this program needs version \(versions.needed)\n")
            guard versions.isUsable else {
                Console.problem(DatabaseCommand.advice(versions))
                throw Outcome.someFailed
            }
            let database = try await SharedDatabase(settings, migrates: false)
            let status = try await database.clusterStatus()
            await database.close()
            for line in DatabaseCommand.lines(status) { Console.result(line + "\n") }
        }
    }

    struct Migrate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "migrate",
            abstract: "Create the tables, or upgrade them to the version of this program.",
            discussion: """
                Nodes of the previous version continue to work.

                Examples:
                  symbolist database migrate --config symbolist.yaml
                """)

        @OptionGroup var address: Address

        func run() async throws {
            let settings = try address.connectionSettings()
            let before = try await SharedDatabase.tableVersions(settings)
            await (try await SharedDatabase(settings, migrates: true)).close()
            let now = try await SharedDatabase.tableVersions(settings)
            let stored = now.stored ?? now.needed
            let change = before.stored == stored ? "unchanged" : "changed"
            Console.report("\(settings): tables: version \(stored), \(change)\n")
        }
    }

    /// Prints that the configuration names no database, and returns the error that ends the command.
    static func noDatabase() -> ExitCode {
        Console.problem(
            Problem(
                "database.url", detail: "is not set",
                suggestion: "use the configuration of a node, with --config"))
        return Outcome.wrongUsage
    }

    private static func advice(_ versions: TableVersions) -> Problem {
        versions.oldestProgram > versions.needed
            ? Problem(
                "database", detail: "the tables are of a later version",
                suggestion: "install a later version of symbolist")
            : Problem(
                "database", detail: "the tables are missing or of an earlier version",
                suggestion: "run symbolist database migrate")
    }

    private static func lines(_ status: ClusterStatus) -> [String] {
        let nodes = status.nodes.map { node in
            let lanes = node.lanes.map(text).joined(separator: "; ")
            let seen = node.lastSeen.text ?? "never"
            return "node \(node.name) (\(node.version)), last seen \(seen): "
                + (lanes.isEmpty ? "no lane" : lanes)
        }
        return nodes + status.lanesWithoutNode.map { "\(text($0)), without a node" }
    }

    private static func text(_ lane: ClusterStatus.Lane) -> String {
        "lane \(lane.number): \(lane.waitingCount) requests wait, \(lane.waitingBytes) bytes"
    }
}

import ArgumentParser
import CallStacks
import EmbeddedDatabase
import Foundation
import Ingest
import JSONText
import Problems
import ServerConfiguration
import SharedDatabase
import StackRendering

/// `symbolist exporters`: lists or drops an exporter's undelivered requests.
struct ExportersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exporters",
        abstract: "List or drop the undelivered requests of exporters.",
        discussion: """
            Works on the data folder of a stopped service, or with the configuration of a node on \
            the shared database, whose nodes may run.

            Examples:
              symbolist exporters list --data /var/lib/symbolist
              symbolist exporters list --config symbolist.yaml
              symbolist exporters drop https://old.example.com --data /var/lib/symbolist
            """,
        subcommands: [List.self, Drop.self])

    /// The storage of the waiting requests: a data folder, or a shared database.
    struct Storage: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "The data folder. Default: SYMBOLIST_DATA, else ./symbolist-data.",
                valueName: "folder"))
        var data: String?

        @OptionGroup var address: DatabaseCommand.Address

        /// Opens the database for the duration of a closure.
        ///
        /// - Throws: ``Outcome/nothingFound`` if the folder has no database.
        func use(_ body: (any ExporterBacklogs) async throws -> Void) async throws {
            guard data == nil, address.isGiven else {
                return try await use(
                    folder: data ?? ProcessInfo.processInfo.environment["SYMBOLIST_DATA"]
                        ?? "symbolist-data", body)
            }
            let configuration = try address.configuration()
            guard configuration.cluster != nil else {
                return try await use(folder: configuration.dataFolder, body)
            }
            let database = try await SharedDatabase(
                try address.connectionSettings(), migrates: false)
            do { try await body(database) } catch {
                await database.close()
                throw error
            }
            await database.close()
        }

        private func use(
            folder: String, _ body: (any ExporterBacklogs) async throws -> Void
        ) async throws {
            let file = "\(folder)/\(EmbeddedDatabase.fileName)"
            guard FileManager.default.fileExists(atPath: file) else {
                Console.problem(
                    Problem(
                        folder, detail: "contains no \(EmbeddedDatabase.fileName)",
                        suggestion: "set --data to the data folder of the service"))
                throw Outcome.nothingFound
            }
            let database = try EmbeddedDatabase(folder: folder)
            do { try await body(database) } catch {
                try await database.close()
                throw error
            }
            try await database.close()
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List exporters with their undelivered requests.",
            discussion: """
                Examples:
                  symbolist exporters list --data /var/lib/symbolist --json
                """)

        @OptionGroup var storage: Storage

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            try await storage.use { database in
                let readers = try await database.readers()
                var writer = JSONWriter()
                writer.beginObject()
                writer.array("exporters", readers) { $0.write($1) }
                writer.endObject()
                try JSONListTable(
                    JSONDocument(Array(writer.text.utf8)), list: "exporters",
                    columns: [
                        ("name", "name"), ("requests", "requests"), ("bytes", "bytes"),
                        ("oldest", "oldest"), ("dead_letters", "dead letters"),
                    ]
                ).print(asJSON: json)
            }
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop",
            abstract: "Drop the undelivered requests of exporters.",
            discussion: """
                Discards the waiting requests and the dead letters. An exporter that is later \
                configured with the same name starts without them.

                Examples:
                  symbolist exporters drop https://old.example.com --data /var/lib/symbolist
                """)

        @Argument(help: ArgumentHelp("The exporters to drop.", valueName: "name"))
        var names: [String]

        @OptionGroup var storage: Storage

        func run() async throws {
            try await storage.use { database in
                let readers = try await database.readers()
                let found = readers.filter { names.contains($0.name) }
                for name in names where !found.contains(where: { $0.name == name }) {
                    Console.problem("exporter '\(name)': not found: see 'symbolist exporters list'")
                }
                for reader in found {
                    try await database.dropReader(reader.name)
                    Console.report(
                        """
                        \(reader.name): \(reader.backlog.count) requests and \
                        \(reader.deadLetterCount) dead letters dropped

                        """)
                }
                if found.isEmpty { throw Outcome.nothingFound }
                if found.count < Set(names).count { throw Outcome.someFailed }
            }
        }
    }
}

/// A database in which requests wait for exporters.
protocol ExporterBacklogs: Sendable {
    func readers() async throws(JournalError) -> [ReaderStatus]
    func dropReader(_ name: String) async throws(JournalError)
}

extension EmbeddedDatabase: ExporterBacklogs {}
extension SharedDatabase: ExporterBacklogs {}

extension JSONWriter {
    fileprivate mutating func write(_ reader: ReaderStatus) {
        beginObject()
        member("name", reader.name)
        member("requests", UInt64(max(reader.backlog.count, 0)))
        member("bytes", UInt64(max(reader.backlog.bytes, 0)))
        member("oldest", reader.backlog.oldest.map(Self.text))
        member("dead_letters", UInt64(max(reader.deadLetterCount, 0)))
        endObject()
    }

    private static func text(of time: UnixTime) -> String {
        Date(timeIntervalSince1970: Double(time.rawValue) / 1_000).formatted(.iso8601)
    }
}

import ArgumentParser
import CallStacks
import EmbeddedDatabase
import Foundation
import Ingest
import JSONText
import StackRendering

/// `symbolist exporters`: what waits in a data folder for which exporter, and giving it up.
struct ExportersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exporters",
        abstract: "Show what waits for exporters in a data folder, or give it up.",
        discussion: """
            Works in the data folder of a service that is stopped.

            Examples:
              symbolist exporters list --data /var/lib/symbolist
              symbolist exporters drop https://old.example.com --data /var/lib/symbolist
            """,
        subcommands: [List.self, Drop.self])

    struct Folder: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "The data folder. Default: SYMBOLIST_DATA, else symbolist-data.",
                valueName: "folder"))
        var data: String?

        /// Works with the database of the folder.
        ///
        /// - Throws: ``Outcome/nothingFound`` if the folder holds none.
        func use(_ body: (EmbeddedDatabase) async throws -> Void) async throws {
            let folder =
                data ?? ProcessInfo.processInfo.environment["SYMBOLIST_DATA"] ?? "symbolist-data"
            let file = "\(folder)/\(EmbeddedDatabase.fileName)"
            guard FileManager.default.fileExists(atPath: file) else {
                Console.problem("\(folder): holds no \(EmbeddedDatabase.fileName): give --data")
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
            abstract: "Show what waits for each exporter.",
            discussion: """
                Examples:
                  symbolist exporters list --data /var/lib/symbolist --json
                """)

        @OptionGroup var folder: Folder

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            try await folder.use { database in
                let readers = try await database.readers()
                var writer = JSONWriter()
                writer.beginObject()
                writer.array("exporters", readers) { $0.write($1) }
                writer.endObject()
                try ServerTable(
                    JSONDocument(Array(writer.text.utf8)), "exporters",
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
            abstract: "Give up what waits for an exporter.",
            discussion: """
                Nothing is sent to it any more: neither what waits nor its dead letters. An exporter \
                of this name begins anew.

                Examples:
                  symbolist exporters drop https://old.example.com --data /var/lib/symbolist
                """)

        @Argument(help: ArgumentHelp("The exporters to give up.", valueName: "name"))
        var names: [String]

        @OptionGroup var folder: Folder

        func run() async throws {
            try await folder.use { database in
                let readers = try await database.readers()
                let found = readers.filter { names.contains($0.name) }
                for name in names where !found.contains(where: { $0.name == name }) {
                    Console.problem("exporter '\(name)': unknown: see 'symbolist exporters list'")
                }
                for reader in found {
                    try await database.dropReader(reader.name)
                    Console.report(
                        """
                        \(reader.name): \(reader.waiting.count) requests and \
                        \(reader.deadLetterCount) dead letters given up

                        """)
                }
                if found.isEmpty { throw Outcome.nothingFound }
                if found.count < Set(names).count { throw Outcome.someFailed }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ reader: ReaderStatus) {
        beginObject()
        member("name", reader.name)
        member("requests", UInt64(max(reader.waiting.count, 0)))
        member("bytes", UInt64(max(reader.waiting.bytes, 0)))
        member("oldest", reader.waiting.oldest.map(Self.text))
        member("dead_letters", UInt64(max(reader.deadLetterCount, 0)))
        endObject()
    }

    private static func text(of time: UnixTime) -> String {
        Date(timeIntervalSince1970: Double(time.rawValue) / 1_000).formatted(.iso8601)
    }
}

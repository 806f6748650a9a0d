import ArgumentParser
import EmbeddedDatabase
import Foundation
import Ingest
import Logging
import Problems
import ServerConfiguration
import SharedDatabase
import SymbolIntake

/// `symbolist move`: moves the data folder of a service to a shared database and bucket.
struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move the data folder of a service to a shared database and bucket.",
        discussion: """
            Uses the configuration of a node, with database.url and blobs.url. The service on the \
            folder must be stopped, and cannot be started on it any more. Nodes may already run. If \
            the move is interrupted, run it again.

            Examples:
              symbolist move /var/lib/symbolist --config symbolist.yaml
            """)

    @Argument(
        help: ArgumentHelp("The data folder of the service.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @OptionGroup var address: DatabaseCommand.Address

    func run() async throws {
        let configuration = try address.configuration()
        guard let settings = configuration.cluster else { throw DatabaseCommand.noDatabase() }
        let file = "\(folder)/\(EmbeddedDatabase.fileName)"
        guard FileManager.default.fileExists(atPath: file) else {
            Console.problem(
                Problem(
                    folder, detail: "contains no \(EmbeddedDatabase.fileName)",
                    suggestion: "pass the data folder of a service"))
            throw Outcome.nothingFound
        }
        Console.progress.turnOn()
        let source = try EmbeddedDatabase(folder: folder)
        let cluster = try await Cluster(settings, logger: Self.silent)
        try await move(source, to: cluster, configuration)
        await cluster.close()
        try await source.close()
    }

    private static var silent: Logger {
        Logger(label: "symbolist") { _ in SwiftLogNoOpLogHandler() }
    }

    private func move(
        _ source: EmbeddedDatabase, to cluster: Cluster, _ configuration: ServerConfiguration
    ) async throws {
        let found = try MoveMark(ofFolder: folder)
        var mark = found ?? MoveMark(folder: folder, database: cluster.databaseName)
        guard mark.database == cluster.databaseName else {
            throw Problem(
                folder, detail: "was moved to \(mark.database)",
                suggestion: "use the configuration that names that database")
        }
        // The service cannot use the folder once it is marked, so the bucket is checked first.
        try await cluster.checkBucket()
        try mark.write()
        guard !mark.isFinished,
            let target = try await FolderImport.begin(mark.id, of: folder, in: cluster.database)
        else {
            if !mark.isFinished { try mark.finish() }
            Console.report("\(folder): was already moved to \(mark.database)\n")
            return
        }
        try await reconcileReaders(of: source, configuration)
        let summary = try await moved(source, to: target, cluster)
        try mark.finish()
        Console.report("\(folder): moved to \(mark.database): \(summary.text)\n")
    }

    private func moved(
        _ source: EmbeddedDatabase, to target: FolderImport, _ cluster: Cluster
    ) async throws -> MoveSummary {
        let progress = MoveProgress()
        defer { progress.end() }
        let symbols = try await SymbolMove(
            source: source, folders: DataFolders(path: folder), cluster: cluster,
            progress: progress
        ).run()
        var summary = try await FolderMove(
            source: source, target: target, progress: progress
        ).run()
        summary.symbols = symbols
        return summary
    }

    /// Assigns the cursors to the exporters of the nodes, like the start of a service.
    private func reconcileReaders(
        of source: EmbeddedDatabase, _ configuration: ServerConfiguration
    ) async throws {
        let setup = JournalReaderSetup(
            configuration: configuration, journal: source, logger: Self.silent)
        for orphan in try await setup.run().sorted() {
            Console.problem(
                Problem(
                    "exporter '\(orphan)'",
                    detail: "requests wait for it, and it is not configured",
                    suggestion: """
                        add it to export[] of the nodes, or drop them after the move with \
                        'symbolist exporters drop \(orphan) --config FILE'
                        """))
        }
    }
}

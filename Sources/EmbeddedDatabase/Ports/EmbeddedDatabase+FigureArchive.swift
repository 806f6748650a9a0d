public import Ingest
public import MetricKitSignals

extension EmbeddedDatabase: FigureArchive {
    public func figures(_ query: FigureQuery) async throws(JournalError) -> [VersionFigures] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try FigureTable(db).figures(query) }
        }
    }
}

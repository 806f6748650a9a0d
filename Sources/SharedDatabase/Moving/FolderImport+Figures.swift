package import Ingest
package import MetricKitSignals
import PostgreSQL

extension FolderImport {
    /// Adds the figures of versions on single days, once.
    package func add(_ figures: [VersionFigures]) async throws(JournalError) {
        guard !figures.isEmpty else { return }
        try await asJournal {
            let averages = figures.flatMap { figures in
                figures.averages.map {
                    (FigureRows.Metric(day: FigureRows.Day(figures), metric: $0.key), $0.value)
                }
            }
            let statements = [
                try FigureRows.statement(
                    adding: figures.map { (FigureRows.Day($0), FigureRows.PayloadCounts($0)) },
                    ifPresent: .keep, in: journal.lane),
                try FigureRows.statement(adding: averages, ifPresent: .keep, in: journal.lane),
            ]
            try await journal.fenced { transaction in
                _ = try await transaction.execute(statements)
            }
        }
    }
}

extension FigureRows.Day {
    fileprivate init(_ figures: VersionFigures) {
        self.init(app: figures.app, version: figures.version, day: figures.firstDay)
    }
}

extension FigureRows.PayloadCounts {
    fileprivate init(_ figures: VersionFigures) {
        self.init(payloads: Int64(figures.payloadCount), leftOut: Int64(figures.leftOutCount))
    }
}

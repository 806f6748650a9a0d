import Foundation
import GRDB
import Ingest
import MetricKitSignals

/// The tables of figures, summed by app version and day, and of the payloads from which they come.
///
/// Their size is limited, because all names come from clients. The oldest days are removed first.
struct FigureTable {
    let db: Database

    /// The maximum number of rows by version and day, enough for a hundred versions for more than a
    /// year.
    static let daysLimit = 50_000
    /// The number of payloads for which duplicates are recognised. Metric payloads count twice.
    static let payloadsLimit = 1_000_000

    init(_ db: Database) { self.db = db }

    /// Adds payloads, except those that were already added with the same bytes or the same content.
    func store(_ payloads: [ProcessedPayload]) throws {
        for payload in payloads where try isNew(payload.key.bytes) {
            for figures in payload.figures where try isNew(figures.digest) {
                try add(figures)
            }
        }
    }

    private func isNew(_ key: [UInt8]) throws -> Bool {
        try db.run(
            "INSERT INTO seen_payload (key) VALUES (?) ON CONFLICT DO NOTHING", [Data(key)])
        guard db.changesCount > 0 else { return false }
        try db.run(
            "DELETE FROM seen_payload WHERE id <= ?",
            [db.lastInsertedRowID - Int64(Self.payloadsLimit)])
        return true
    }

    private func add(_ figures: PayloadFigures) throws {
        let day = try versionDay(of: figures)
        for (metric, figure) in figures.figures {
            let average = FigureAverage(figure)
            try db.run(
                """
                INSERT INTO version_figure (
                    version_day, metric, total, weight, samples, payloads, mean_sum, mean_squares)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (version_day, metric) DO UPDATE SET
                    total = total + excluded.total, weight = weight + excluded.weight,
                    samples = samples + excluded.samples, payloads = payloads + excluded.payloads,
                    mean_sum = mean_sum + excluded.mean_sum,
                    mean_squares = mean_squares + excluded.mean_squares
                """,
                [
                    day, metric.rawValue, average.total, average.weight, average.sampleCount,
                    average.payloadCount, average.meanSum, average.squaredMeanSum,
                ])
        }
    }

    /// Counts a payload.
    ///
    /// - Returns: The id of the row of its app, version and day.
    private func versionDay(of figures: PayloadFigures) throws -> Int64 {
        let leftOut = figures.spansSeveralVersions ? 1 : 0
        let key: StatementArguments = [figures.app, figures.version, figures.day]
        try db.run(
            """
            UPDATE version_day SET payloads = payloads + ?, left_out = left_out + ?
            WHERE app = ? AND version = ? AND day = ?
            """, [1 - leftOut, leftOut] + key)
        if db.changesCount == 0 {
            try db.run(
                """
                INSERT INTO version_day (payloads, left_out, app, version, day)
                VALUES (?, ?, ?, ?, ?)
                """, [1 - leftOut, leftOut] + key)
            try removeOldest()
        }
        let row = try db.first(
            "SELECT id FROM version_day WHERE app = ? AND version = ? AND day = ?", key)
        guard let row else { throw DatabaseProblem.damage("the figures of a version") }
        return row[0]
    }

    /// Removes the oldest days beyond the limit. The row just added is kept even if its day is the
    /// oldest.
    private func removeOldest() throws {
        let added = db.lastInsertedRowID
        let count: Int = try db.first("SELECT count(*) FROM version_day")?[0] ?? 0
        guard count > Self.daysLimit else { return }
        try db.run(
            """
            DELETE FROM version_day WHERE id IN (
                SELECT id FROM version_day WHERE id <> ? ORDER BY day, id LIMIT ?)
            """, [added, count - Self.daysLimit])
    }
}

extension FigureTable {
    func figures(_ query: FigureQuery) throws -> [VersionFigures] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT app, version, min(day), max(day), sum(payloads), sum(left_out)
                FROM version_day
                WHERE (:app IS NULL OR app = :app) AND (:version IS NULL OR version = :version)
                    AND day BETWEEN :first AND :last
                GROUP BY app, version\(query.isByDay ? ", day" : "")
                ORDER BY max(day) DESC, app, version LIMIT :limit
                """,
            arguments: [
                "app": query.app, "version": query.version, "first": query.firstDay ?? Int.min,
                "last": query.lastDay ?? Int.max, "limit": query.limit,
            ])
        return try rows.map(version)
    }

    private func version(_ row: Row) throws -> VersionFigures {
        var figures = VersionFigures(
            app: row[0], version: row[1], firstDay: row[2], lastDay: row[3], payloadCount: row[4],
            leftOutCount: row[5])
        let averages = try db.all(
            """
            SELECT metric, sum(total), sum(weight), sum(samples), sum(f.payloads), sum(mean_sum),
                sum(mean_squares)
            FROM version_day AS d JOIN version_figure AS f ON f.version_day = d.id
            WHERE app = ? AND version = ? AND day BETWEEN ? AND ?
            GROUP BY metric
            """, [figures.app, figures.version, figures.firstDay, figures.lastDay])
        for row in averages {
            guard let metric = WatchedMetric(rawValue: row[0]) else { continue }
            figures.averages[metric] = FigureAverage(
                total: row[1], weight: row[2], sampleCount: row[3], payloadCount: row[4],
                meanSum: row[5], squaredMeanSum: row[6])
        }
        return figures
    }
}

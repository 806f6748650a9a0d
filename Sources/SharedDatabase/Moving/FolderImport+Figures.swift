package import Ingest
package import MetricKitSignals
import PostgreSQL

extension FolderImport {
    /// Adds the figures of versions on single days, once.
    package func add(_ figures: [VersionFigures]) async throws(JournalError) {
        guard !figures.isEmpty else { return }
        try await asJournal {
            let statements = [try days(figures), try averages(figures)]
            try await journal.fenced { transaction in
                _ = try await transaction.execute(statements)
            }
        }
    }

    private func days(_ figures: [VersionFigures]) throws -> Statement {
        try Statement(
            """
            INSERT INTO version_day (app, version, day, lane, payloads, left_out)
            SELECT app, version, day, $1::int2, payloads, left_out
            FROM unnest($2::text[], $3::text[], $4::int4[], $5::int8[], $6::int8[])
                AS new (app, version, day, payloads, left_out) ORDER BY app, version, day
            ON CONFLICT DO NOTHING
            """,
            keys(figures) + [
                .value(figures.map { Int64($0.payloadCount) }, .array(of: .int8)),
                .value(figures.map { Int64($0.leftOutCount) }, .array(of: .int8)),
            ])
    }

    private func keys(_ figures: [VersionFigures]) -> [Parameter] {
        [
            .value(journal.lane.rawValue, .int2),
            .value(figures.map(\.app.asKey), .array(of: .text)),
            .value(figures.map(\.version.asKey), .array(of: .text)),
            .value(figures.map { Int32(clamping: $0.firstDay) }, .array(of: .int4)),
        ]
    }

    private func averages(_ figures: [VersionFigures]) throws -> Statement {
        let rows = figures.flatMap { day in day.averages.map { (day, $0.key, $0.value) } }
        func numbers(_ property: (FigureAverage) -> Double) -> Parameter {
            .value(rows.map { property($0.2) }, .array(of: .float8))
        }
        return try Statement(
            """
            INSERT INTO version_figure (
                app, version, day, lane, metric, payloads, total, weight, samples, mean_sum,
                mean_squares)
            SELECT app, version, day, $1::int2, metric, payloads, total, weight, samples, mean_sum,
                mean_squares
            FROM unnest($2::text[], $3::text[], $4::int4[], $5::int2[], $6::int8[], $7::float8[],
                $8::float8[], $9::float8[], $10::float8[], $11::float8[]) AS new (
                    app, version, day, metric, payloads, total, weight, samples, mean_sum,
                    mean_squares)
            ORDER BY app, version, day, metric
            ON CONFLICT DO NOTHING
            """,
            keys(rows.map(\.0)) + [
                .value(rows.map { Int16(clamping: $0.1.rawValue) }, .array(of: .int2)),
                .value(rows.map { Int64($0.2.payloadCount) }, .array(of: .int8)),
                numbers(\.total), numbers(\.weight), numbers(\.sampleCount), numbers(\.meanSum),
                numbers(\.squaredMeanSum),
            ])
    }
}

import Ingest
import MetricKitSignals
import PostgreSQL

/// The tables of processed payloads and of figures, summed by app version and day, in a transaction.
struct PayloadTable {
    private struct Day: Hashable {
        let app: String
        let version: String
        let day: Int32
    }

    private struct Metric: Hashable {
        let day: Day
        let metric: WatchedMetric
    }

    let transaction: Transaction
    let lane: LaneNumber

    /// Adds payloads, except those that were already added with the same bytes or the same content.
    func store(_ payloads: [ProcessedPayload]) async throws {
        guard !payloads.isEmpty else { return }
        var keys = try await new(payloads.map(\.key.bytes))
        let figures = payloads.filter { keys.remove($0.key.bytes) != nil }.flatMap(\.figures)
        guard !figures.isEmpty else { return }
        var digests = try await new(figures.map(\.digest))
        let newFigures = figures.filter { digests.remove($0.digest) != nil }
        _ = try await transaction.execute([
            try dayStatement(newFigures), try figureStatement(newFigures),
        ])
    }

    /// Remembers keys, and returns those that were not known.
    private func new(_ keys: [[UInt8]]) async throws -> Set<[UInt8]> {
        let rows = try await transaction.rows(
            """
            INSERT INTO seen_payload (key)
            SELECT DISTINCT key FROM unnest($1::bytea[]) AS new (key) ORDER BY key
            ON CONFLICT DO NOTHING RETURNING key
            """, [.value(keys, .array(of: .bytea))])
        return Set(try rows.map { try $0.value(0, .bytea) })
    }

    private static func day(of figures: PayloadFigures) -> Day {
        Day(
            app: figures.app.asKey, version: figures.version.asKey,
            day: Int32(clamping: figures.day))
    }

    private func dayStatement(_ figures: [PayloadFigures]) throws -> Statement {
        var counts: [Day: (payloads: Int64, leftOut: Int64)] = [:]
        for figure in figures {
            var count = counts[Self.day(of: figure)] ?? (0, 0)
            if figure.spansSeveralVersions { count.leftOut += 1 } else { count.payloads += 1 }
            counts[Self.day(of: figure)] = count
        }
        let rows = Array(counts)
        return try Statement(
            """
            INSERT INTO version_day SELECT app, version, day, $1::int2, payloads, left_out
            FROM unnest($2::text[], $3::text[], $4::int4[], $5::int8[], $6::int8[])
                AS new (app, version, day, payloads, left_out) ORDER BY app, version, day
            ON CONFLICT (app, version, day, lane) DO UPDATE SET
                payloads = version_day.payloads + excluded.payloads,
                left_out = version_day.left_out + excluded.left_out
            """,
            [.value(lane.rawValue, .int2)] + Self.parameters(rows.map(\.key)) + [
                .value(rows.map(\.value.payloads), .array(of: .int8)),
                .value(rows.map(\.value.leftOut), .array(of: .int8)),
            ])
    }

    private static func parameters(_ days: [Day]) -> [Parameter] {
        [
            .value(days.map(\.app), .array(of: .text)),
            .value(days.map(\.version), .array(of: .text)),
            .value(days.map(\.day), .array(of: .int4)),
        ]
    }

    private func figureStatement(_ figures: [PayloadFigures]) throws -> Statement {
        let rows = Array(Self.sums(of: figures))
        func doubles(_ property: (FigureAverage) -> Double) -> Parameter {
            .value(rows.map { property($0.value) }, .array(of: .float8))
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
            ON CONFLICT (app, version, day, lane, metric) DO UPDATE SET
                total = version_figure.total + excluded.total,
                weight = version_figure.weight + excluded.weight,
                samples = version_figure.samples + excluded.samples,
                payloads = version_figure.payloads + excluded.payloads,
                mean_sum = version_figure.mean_sum + excluded.mean_sum,
                mean_squares = version_figure.mean_squares + excluded.mean_squares
            """,
            [.value(lane.rawValue, .int2)] + Self.parameters(rows.map(\.key.day)) + [
                .value(rows.map { Int16(clamping: $0.key.metric.rawValue) }, .array(of: .int2)),
                .value(rows.map { Int64($0.value.payloadCount) }, .array(of: .int8)),
                doubles(\.total), doubles(\.weight), doubles(\.sampleCount), doubles(\.meanSum),
                doubles(\.squaredMeanSum),
            ])
    }

    private static func sums(of figures: [PayloadFigures]) -> [Metric: FigureAverage] {
        var sums: [Metric: FigureAverage] = [:]
        for figures in figures {
            for (metric, figure) in figures.figures {
                let key = Metric(day: day(of: figures), metric: metric)
                let next = FigureAverage(figure)
                guard let sum = sums[key] else {
                    sums[key] = next
                    continue
                }
                sums[key] = FigureAverage(
                    total: sum.total + next.total, weight: sum.weight + next.weight,
                    sampleCount: sum.sampleCount + next.sampleCount,
                    payloadCount: sum.payloadCount + next.payloadCount,
                    meanSum: sum.meanSum + next.meanSum,
                    squaredMeanSum: sum.squaredMeanSum + next.squaredMeanSum)
            }
        }
        return sums
    }
}

import Ingest
import MetricKitSignals
import PostgreSQL

/// The tables of processed payloads and of figures, summed by app version and day, in a transaction.
struct PayloadTable {
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
            try FigureRows.statement(
                adding: Self.counts(of: newFigures), ifPresent: .sum, in: lane),
            try FigureRows.statement(adding: Self.sums(of: newFigures), ifPresent: .sum, in: lane),
        ])
    }

    /// Stores keys, and returns those that are new.
    private func new(_ keys: [[UInt8]]) async throws -> Set<[UInt8]> {
        let rows = try await transaction.rows(
            """
            INSERT INTO seen_payload (key)
            SELECT DISTINCT key FROM unnest($1::bytea[]) AS new (key) ORDER BY key
            ON CONFLICT DO NOTHING RETURNING key
            """, [.value(keys, .array(of: .bytea))])
        return Set(try rows.map { try $0.value(0, .bytea) })
    }

    private static func day(of figures: PayloadFigures) -> FigureRows.Day {
        FigureRows.Day(app: figures.app, version: figures.version, day: figures.day)
    }

    private static func counts(
        of figures: [PayloadFigures]
    ) -> [(FigureRows.Day, FigureRows.PayloadCounts)] {
        var counts: [FigureRows.Day: FigureRows.PayloadCounts] = [:]
        for figure in figures {
            let key = day(of: figure)
            if figure.spansSeveralVersions {
                counts[key, default: .init()].leftOut += 1
            } else {
                counts[key, default: .init()].payloads += 1
            }
        }
        return counts.map { ($0.key, $0.value) }
    }

    private static func sums(
        of figures: [PayloadFigures]
    ) -> [(FigureRows.Metric, FigureAverage)] {
        var sums: [FigureRows.Metric: FigureAverage] = [:]
        for figures in figures {
            for (metric, figure) in figures.figures {
                let key = FigureRows.Metric(day: day(of: figures), metric: metric)
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
        return sums.map { ($0.key, $0.value) }
    }
}

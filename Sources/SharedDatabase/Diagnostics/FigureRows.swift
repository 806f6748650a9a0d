import Ingest
import MetricKitSignals
import PostgreSQL

/// The rows of the figures of app versions by day, in a lane.
enum FigureRows {
    struct Day: Hashable {
        let app: String
        let version: String
        let day: Int32

        init(app: String, version: String, day: Int) {
            self.app = app.asKey
            self.version = version.asKey
            self.day = Int32(clamping: day)
        }
    }

    struct Metric: Hashable {
        let day: Day
        let metric: WatchedMetric
    }

    struct PayloadCounts {
        var payloads: Int64 = 0
        /// The number of payloads that span several versions.
        var leftOut: Int64 = 0
    }

    /// The treatment of a row that is already present.
    enum Conflict {
        /// The row gets the sum of both.
        case sum
        /// The row stays, and the new one is dropped.
        case keep

        /// - Parameters:
        ///   - key: The columns that identify a row.
        ///   - sums: The columns with sums.
        fileprivate func clause(_ table: String, _ key: String, _ sums: [String]) -> String {
            switch self {
            case .sum:
                let sums = sums.map { "\($0) = \(table).\($0) + excluded.\($0)" }
                return "ON CONFLICT (\(key)) DO UPDATE SET \(sums.joined(separator: ", "))"
            case .keep: return "ON CONFLICT DO NOTHING"
            }
        }
    }

    static func statement(
        adding rows: [(Day, PayloadCounts)], ifPresent conflict: Conflict, in lane: LaneNumber
    ) throws -> Statement {
        try Statement(
            """
            INSERT INTO version_day (app, version, day, lane, payloads, left_out)
            SELECT app, version, day, $1::int2, payloads, left_out
            FROM unnest($2::text[], $3::text[], $4::int4[], $5::int8[], $6::int8[])
                AS new (app, version, day, payloads, left_out) ORDER BY app, version, day
            \(conflict.clause("version_day", "app, version, day, lane", ["payloads", "left_out"]))
            """,
            parameters(rows.map(\.0), lane) + [
                .value(rows.map(\.1.payloads), .array(of: .int8)),
                .value(rows.map(\.1.leftOut), .array(of: .int8)),
            ])
    }

    static func statement(
        adding rows: [(Metric, FigureAverage)], ifPresent conflict: Conflict, in lane: LaneNumber
    ) throws -> Statement {
        let sums = ["payloads", "total", "weight", "samples", "mean_sum", "mean_squares"]
        func doubles(_ property: (FigureAverage) -> Double) -> Parameter {
            .value(rows.map { property($0.1) }, .array(of: .float8))
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
            \(conflict.clause("version_figure", "app, version, day, lane, metric", sums))
            """,
            parameters(rows.map(\.0.day), lane) + [
                .value(rows.map { Int16(clamping: $0.0.metric.rawValue) }, .array(of: .int2)),
                .value(rows.map { Int64($0.1.payloadCount) }, .array(of: .int8)),
                doubles(\.total), doubles(\.weight), doubles(\.sampleCount), doubles(\.meanSum),
                doubles(\.squaredMeanSum),
            ])
    }

    /// The parameters of both statements, up to the day.
    private static func parameters(_ days: [Day], _ lane: LaneNumber) -> [Parameter] {
        [
            .value(lane.rawValue, .int2), .value(days.map(\.app), .array(of: .text)),
            .value(days.map(\.version), .array(of: .text)),
            .value(days.map(\.day), .array(of: .int4)),
        ]
    }
}

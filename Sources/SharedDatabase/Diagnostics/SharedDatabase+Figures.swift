public import Ingest
public import MetricKitSignals
import PostgreSQL

extension SharedDatabase: FigureArchive {
    public func figures(_ query: FigureQuery) async throws(JournalError) -> [VersionFigures] {
        let list = FigureListStatement(query)
        return try await asJournal {
            try await pool.withTransaction(
                TransactionOptions(isolation: .repeatableRead, isReadOnly: true)
            ) { transaction in
                let rows = try await transaction.rows(list.text, list.parameters)
                let figures = try rows.map { try VersionFigures($0) }
                return try await Self.completed(figures, transaction)
            }
        }
    }

    /// Selects the sums of the figures of the listed versions and ranges of days, by their numbers.
    static let averageText = """
        SELECT listed.number, metric, sum(total), sum(weight), sum(samples), sum(payloads)::int8,
            sum(mean_sum), sum(mean_squares)
        FROM unnest($1::text[], $2::text[], $3::int4[], $4::int4[]) WITH ORDINALITY
            AS listed (app, version, first, last, number)
        JOIN version_figure f ON f.app = listed.app AND f.version = listed.version
            AND f.day BETWEEN listed.first AND listed.last
        GROUP BY listed.number, metric
        """

    private static func completed(
        _ figures: [VersionFigures], _ transaction: Transaction
    ) async throws -> [VersionFigures] {
        let rows = try await transaction.rows(
            averageText,
            [
                .value(figures.map(\.app), .array(of: .text)),
                .value(figures.map(\.version), .array(of: .text)),
                .value(figures.map { Int32(clamping: $0.firstDay) }, .array(of: .int4)),
                .value(figures.map { Int32(clamping: $0.lastDay) }, .array(of: .int4)),
            ])
        var figures = figures
        for row in rows {
            let index = Int(try row.value(0, .int8)) - 1
            guard let metric = WatchedMetric(rawValue: Int(try row.value(1, .int2))) else {
                continue
            }
            figures[index].averages[metric] = FigureAverage(
                total: try row.value(2, .float8), weight: try row.value(3, .float8),
                sampleCount: try row.value(4, .float8),
                payloadCount: Int(try row.value(5, .int8)), meanSum: try row.value(6, .float8),
                squaredMeanSum: try row.value(7, .float8))
        }
        return figures
    }
}

/// The statement of a list of the numbers of payloads by app version.
struct FigureListStatement {
    let text: String
    let parameters: [Parameter]

    init(_ query: FigureQuery) {
        var conditions: [String] = []
        var parameters: [Parameter] = []
        for (column, value) in [("app", query.app), ("version", query.version)] {
            guard let value else { continue }
            parameters.append(.value(value.asKey, .text))
            conditions.append("\(column) = $\(parameters.count) AND ")
        }
        for day in [query.firstDay ?? .min, query.lastDay ?? .max] {
            parameters.append(.value(Int32(clamping: day), .int4))
        }
        parameters.append(.value(Int64(query.limit), .int8))
        let count = parameters.count
        text = """
            SELECT app, version, min(day), max(day), sum(payloads)::int8, sum(left_out)::int8
            FROM version_day
            WHERE \(conditions.joined())day BETWEEN $\(count - 2) AND $\(count - 1)
            GROUP BY app, version\(query.isByDay ? ", day" : "")
            ORDER BY max(day) DESC, app, version LIMIT $\(count)
            """
        self.parameters = parameters
    }
}

extension VersionFigures {
    fileprivate init(_ row: Row) throws {
        self.init(
            app: try row.value(0, .text), version: try row.value(1, .text),
            firstDay: Int(try row.value(2, .int4)), lastDay: Int(try row.value(3, .int4)),
            payloadCount: Int(try row.value(4, .int8)), leftOutCount: Int(try row.value(5, .int8)))
    }
}

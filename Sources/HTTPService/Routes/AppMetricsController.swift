import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest
import MetricKitPayloads
import MetricKitSignals
import Problems

/// The watched metrics of each app version, and their regressions.
struct AppMetricsController {
    let archive: any FigureArchive

    /// The default threshold for a regression, in percent.
    private static let defaultChange = 10.0

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/v1/metrics/versions", use: versions)
        routes.get("/v1/metrics/regressions", use: regressions)
    }

    @Sendable private func versions(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let parameters = request.queryParameters
        var query = try Self.query(parameters, context: context)
        query.version = parameters.text("version")
        query.limit = try parameters.limit(default: query.limit, maximum: FigureQuery.largestLimit)
        let grouping: Grouping? = try parameters.choice("by")
        query.isByDay = grouping == .day
        let figures = try await archive.figures(query)
        return try .json(VersionList(versions: figures.map(VersionJSON.init)))
    }

    private enum Grouping: String, CaseIterable { case version, day }

    /// Compares the two versions named by the query, or the two newest versions of each app.
    @Sendable private func regressions(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let parameters = request.queryParameters
        var query = try Self.query(parameters, context: context)
        query.limit = FigureQuery.largestLimit
        let change = try Self.change(parameters)
        let names = (parameters.text("from"), parameters.text("to"))
        let figures = try await archive.figures(query)
        let pairs = Dictionary(grouping: figures, by: \.app).sorted { $0.key < $1.key }
            .compactMap { VersionPair($0.value, from: names.0, to: names.1) }
        if pairs.isEmpty, names.0 != nil || names.1 != nil {
            throw RequestError.notFound(
                Problem(
                    "version '\(names.0 ?? names.1 ?? "")'", detail: "no metrics to compare",
                    suggestion: "GET /v1/metrics/versions lists versions with metrics"))
        }
        return try .json(RegressionList(pairs, byMoreThan: change))
    }

    private static func query(
        _ parameters: FlatDictionary<Substring, Substring>, context: HTTPRequestContext
    ) throws -> FigureQuery {
        var query = FigureQuery(app: try context.caller.app(requested: parameters.text("app")))
        query.firstDay = try day(parameters, name: "since")
        query.lastDay = try day(parameters, name: "until")
        return query
    }

    private static func day(
        _ parameters: FlatDictionary<Substring, Substring>, name: Substring
    ) throws -> Int? {
        guard let text = parameters.text(name) else { return nil }
        guard let date = PayloadDate(text + " 00:00:00") else {
            throw RequestError.badRequest(
                "bad_\(name)",
                Problem(
                    "\(name)", detail: "'\(text)' is not a day",
                    suggestion: "use a date such as 2026-11-22"))
        }
        return Int(date.time.day)
    }

    private static func change(
        _ parameters: FlatDictionary<Substring, Substring>
    ) throws -> Double {
        guard let text = parameters.text("change") else { return defaultChange / 100 }
        guard let percent = Double(text), (0...10_000).contains(percent) else {
            throw RequestError.badRequest(
                "bad_change",
                Problem(
                    "change", detail: "'\(text)' is not a number from 0 to 10000",
                    suggestion: "use a percentage"))
        }
        return percent / 100
    }
}

/// Days, numbered from 1970-01-01.
enum DayNumber {
    /// Returns the date of a day, such as `2026-11-22`.
    static func text(_ day: Int) -> String {
        let (time, overflow) = Int64(day).multipliedReportingOverflow(
            by: UnixTime.millisecondsPerDay)
        return overflow ? "\(day)" : String(UnixTime(rawValue: time).text.prefix(10))
    }
}

/// Two versions of an app to compare.
struct VersionPair {
    let earlier: VersionFigures
    let later: VersionFigures

    /// Returns `nil` if there are not two versions to compare.
    ///
    /// - Parameters:
    ///   - versions: The versions of one app.
    ///   - from: The earlier version, or `nil` for the one before the later version.
    ///   - to: The later version, or `nil` for the newest.
    init?(_ versions: [VersionFigures], from: String?, to: String?) {
        let ascending = versions.sorted(byVersion: \.version)
        let last =
            to.map { name in ascending.lastIndex { $0.version == name } }
            ?? ascending.indices.last
        guard let last else { return nil }
        let first =
            from.map { name in ascending.lastIndex { $0.version == name } }
            ?? (last > 0 ? last - 1 : nil)
        guard let first, first != last else { return nil }
        earlier = ascending[first]
        later = ascending[last]
    }
}

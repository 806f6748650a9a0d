import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest
import Pages
import Problems
import SymbolIntake

/// The health page, with the dead letters and the form that resends them.
struct HealthPageController {
    let site: PageSite
    let readiness: Readiness
    let resender: DeadLetterResender
    let status: OperationStatusSource

    /// The maximum number of letters on the page.
    static let letterLimit = 1_000
    /// The number of letters on one page of a list.
    private static let pageLength = 100
    private static let formLimit = 64 << 10

    private let failures = ResendFailures()

    /// Adds the page. A caller bound to an app sees only what concerns that app.
    func addReadRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/health"), use: show)
    }

    func addLetterRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/health/dead-letters/:id"), use: showLetters)
    }

    func addResendRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post(site.route("/health/resend"), use: resend)
    }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let app = context.caller.app
        var page = HealthPage(now: UnixTime.now())
        page.problems = await readiness.reasons().map(\.message)
        let status = try await status.status(app: app, now: page.now)
        page.recent = status.recent
        page.state = status.shared.map(OperationState.init)
        page.coverage = status.coverage.map(VersionCoverageRow.init)
        var parts = PageParts()
        if app == nil {
            page.result = result(request.queryParameters)
            await parts.read("Dead letters", or: ()) {
                try await addLetters(to: &page, context.caller)
            }
        }
        return try site.response(
            page.page(in: site.context(of: request, context, parts)), to: request)
    }

    private func addLetters(to page: inout HealthPage, _ caller: Caller) async throws {
        let letters = try await letters()
        page.isTruncated = letters.count >= Self.letterLimit
        page.letters = Dictionary(grouping: letters, by: Key.init).values.compactMap(
            DeadLetterRow.init
        ).sorted { ($1.last, $0.exporter, $0.reason) < ($0.last, $1.exporter, $1.reason) }
        page.canResend = TokenRequirement.resendDeadLetters.isMet(by: caller)
    }

    /// Reads the result of a resend from the query that ``resend(_:_:)`` writes.
    private func result(_ parameters: FlatDictionary<Substring, Substring>) -> ResendResult? {
        guard let sent = parameters.text("sent").flatMap({ Int($0) }),
            let count = parameters.text("of").flatMap({ Int($0) })
        else { return nil }
        let failure = parameters.text("exporter").flatMap { failures[$0] }
        return ResendResult(sent: sent, of: count, failure: failure)
    }

    /// Shows the letters that the same exporter refused for the same reason as a given one.
    @Sendable private func showLetters(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let parameters = request.queryParameters
        let id = try context.parameters.pathText("id")
        let all = try await letters()
        let key = all.first { "\($0.id)" == id }.map(Key.init)
        let alike = all.filter { Key($0) == key }
        guard let row = DeadLetterRow(alike) else {
            throw RequestError.notFound(
                Problem(
                    "dead letter '\(id.prefix(100))'", detail: "unknown, or sent again",
                    suggestion: "look at the health page"))
        }
        let start = try parameters.start(of: ListPage<DeadLetterSummary>.self) { Int64($0) }
        let found = try await ListPage(from: start, length: Self.pageLength) { start, count in
            switch start {
            case .top: Array(alike.prefix(count))
            case .before(let last): Array(alike.drop { $0.id <= last }.prefix(count))
            case .after(let next): Array(alike.prefix { $0.id < next }.suffix(count))
            }
        }
        var page = DeadLettersPage(row: row, now: UnixTime.now())
        page.letters = found.rows.map(DeadLettersPage.Letter.init)
        page.neighbours = found.neighbours { "\($0.id)" }
        page.canResend = TokenRequirement.resendDeadLetters.isMet(by: context.caller)
        return try site.response(page.page(in: site.context(of: request, context)), to: request)
    }

    private func letters() async throws -> [DeadLetterSummary] {
        var letters: [DeadLetterSummary] = []
        while letters.count < Self.letterLimit {
            let more = try await resender.letters(after: letters.last?.id ?? 0, count: 100)
            if more.isEmpty { break }
            letters += more
        }
        return letters
    }

    /// The properties by which letters are grouped.
    private struct Key: Hashable {
        let exporter: String
        let reason: String

        init(_ letter: DeadLetterSummary) {
            exporter = letter.exporter
            reason = letter.reason
        }
    }

    /// Resends the letters that one exporter refused for one reason, and redirects to the page,
    /// which a browser can safely reload.
    @Sendable private func resend(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let form = FormFields.decode(try await request.bytes(limit: Self.formLimit))
        let ids = try await letters().filter { letter in
            letter.exporter == form["exporter"] && letter.reason == form["reason"]
        }.map(\.id)
        let attempts = try await resender.resend(Set(ids))
        let reasons = attempts.compactMap(\.failure)
        if let exporter = form["exporter"], let reason = reasons.first {
            failures[exporter] = reason
        }
        let query = [
            ("sent", "\(attempts.count - reasons.count)"), ("of", "\(attempts.count)"),
            ("exporter", reasons.isEmpty ? nil : form["exporter"]),
        ]
        return try site.redirect(to: site.link("health", query: query), from: request)
    }
}

extension OperationState {
    fileprivate init(_ shared: OperationStatus.Shared) {
        self.init(
            queue: Waiting(shared.queue), queueLimit: shared.limits.queueBytes,
            worker: Waiting(shared.worker), exporters: shared.exporters.map(Exporter.init),
            store: Store(
                databaseBytes: shared.store.databaseBytes, symbolBytes: shared.store.symbolBytes,
                indexBytes: shared.store.indexBytes, freeBytes: shared.store.freeBytes,
                keptSeconds: shared.limits.diagnosticsSeconds))
    }
}

extension DeadLetterRow {
    /// - Parameter letters: Letters that one exporter refused for one reason, oldest first.
    /// - Returns: `nil` if there are none.
    fileprivate init?(_ letters: [DeadLetterSummary]) {
        guard let first = letters.first, let last = letters.last else { return nil }
        self.init(
            exporter: first.exporter, reason: first.reason, letters: letters.count,
            records: letters.reduce(0) { $0 + $1.recordCount },
            first: letters.map(\.refusal).min() ?? first.refusal,
            last: letters.map(\.refusal).max() ?? last.refusal, firstID: first.id)
    }
}

extension DeadLettersPage.Letter {
    fileprivate init(_ letter: DeadLetterSummary) {
        self.init(
            id: letter.id, signal: "\(letter.signal)", refusal: letter.refusal,
            records: letter.recordCount, bytes: letter.byteCount)
    }
}

extension OperationState.Waiting {
    fileprivate init(_ backlog: Backlog) {
        self.init(count: backlog.count, bytes: backlog.bytes, oldest: backlog.oldest)
    }
}

extension OperationState.Exporter {
    fileprivate init(_ exporter: OperationStatus.ExporterStatus) {
        self.init(
            name: exporter.name, state: State(exporter),
            waiting: OperationState.Waiting(exporter.waiting),
            deadLetters: exporter.deadLetterCount)
        lastSuccess = exporter.requests.lastSuccess
        lastError = exporter.requests.lastError
        lastErrorTime = exporter.requests.lastErrorTime
    }
}

extension OperationState.Exporter.State {
    fileprivate init(_ exporter: OperationStatus.ExporterStatus) {
        switch exporter.state {
        case .ok: self = .ok
        case .retrying: self = .retrying(attempts: exporter.requests.failedAttempts)
        case .notConfigured: self = .notConfigured
        }
    }
}

import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest
import Pages
import SymbolIntake

/// The page of the service's health, with the dead letters and the form that resends them.
struct HealthPageController {
    let site: PageSite
    let readiness: Readiness
    let resender: DeadLetterResender
    let status: OperationStatusSource

    /// The maximum number of letters on the page.
    static let letterLimit = 1_000
    private static let formLimit = 64 << 10

    func addReadRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/health")) { request, context in
            try await page(nil, request, context)
        }
    }

    func addResendRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post(site.route("/health/resend"), use: resend)
    }

    private func page(
        _ result: String?, _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        var page = HealthPage(now: UnixTime.now())
        page.result = result
        page.problems = await readiness.reasons().map(\.message)
        let status = try await status.status(app: context.caller.app)
        page.state = status.shared.map(OperationState.init)
        page.coverage = status.coverage.map(VersionCoverageRow.init)
        let letters = try await letters()
        page.isCut = letters.count >= Self.letterLimit
        page.letters = Dictionary(grouping: letters, by: Key.init).map { key, letters in
            DeadLetterRow(
                exporter: key.exporter, reason: key.reason, letters: letters.count,
                records: letters.reduce(0) { $0 + $1.recordCount },
                first: letters.map(\.refusal).min() ?? page.now,
                last: letters.map(\.refusal).max() ?? page.now)
        }.sorted { ($1.last, $0.exporter, $0.reason) < ($0.last, $1.exporter, $1.reason) }
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

    /// What letters are grouped by.
    private struct Key: Hashable {
        let exporter: String
        let reason: String

        init(_ letter: DeadLetterSummary) {
            exporter = letter.exporter
            reason = letter.reason
        }
    }

    /// Resends the letters of one exporter with one reason.
    @Sendable private func resend(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let form = FormFields.decode(try await request.bytes(limit: Self.formLimit))
        let ids = try await letters().filter { letter in
            letter.exporter == form["exporter"] && letter.reason == form["reason"]
        }.map(\.id)
        let attempts = try await resender.resend(Set(ids))
        let failures = attempts.compactMap(\.failure)
        var result = "Sent \(attempts.count - failures.count) of \(attempts.count) letters."
        if let failure = failures.first { result += " The others failed: \(failure)" }
        return try await page(result, request, context)
    }
}

extension OperationState {
    fileprivate init(_ shared: OperationStatus.Shared) {
        self.init(
            queue: Waiting(shared.queue), workerBytes: shared.worker.bytes,
            exporters: shared.exporters.map(Exporter.init), symbolBytes: shared.store.symbolBytes,
            freeBytes: shared.store.freeBytes)
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

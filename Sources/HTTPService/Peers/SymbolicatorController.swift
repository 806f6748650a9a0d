import CallStacks
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Ingest
import LogExtraction
import MetricKitPayloads
import Problems
import ReportFormats
import ReportProcessing
import SymbolIntake
import Symbolication
import SymbolicatorAPI

/// The API of Sentry's Symbolicator: address lists, Apple's crash reports, and results that take
/// longer than the client waits.
///
/// Sources in a request are ignored, because fetching them would reach into the service's own
/// network.
struct SymbolicatorController {
    let symbolication: DiagnosticSymbolication
    let symbols: StoredSymbolIndexes
    let pending: PendingReplies
    let bodyLimit: Int
    let memory: RequestMemoryBudget

    static let paths: Set<String> = ["/symbolicate", "/applecrashreport"]
    private static let requestPrefix = "/requests/"
    /// The scope of a request without an app.
    private static let globalScope = "global"

    static func serves(_ path: String) -> Bool {
        paths.contains(path) || path.hasPrefix(requestPrefix)
    }

    /// Adds the health check, which needs no token.
    func addOpenRoutes(to routes: Router<HTTPRequestContext>) {
        routes.get("/healthcheck") { _, _ in Response.text("ok") }
    }

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post("/symbolicate", use: symbolicate)
        routes.post("/applecrashreport", use: symbolicateReport)
        routes.get("/requests/:id", use: poll)
    }

    @Sendable private func symbolicate(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let access = try access(of: request, context: context)
        let (body, reservation) = try await request.reservedBytes(
            limit: bodyLimit, memory: memory)
        let query = try StackTraceQuery(body)
        return try await reply(to: request, context: context) {
            // The query refers to the body.
            defer { withExtendedLifetime(reservation) {} }
            var query = query
            try await query.resolveModules(in: symbols, for: access)
            let symbolicated = await symbolication.symbolicate(
                imagesOf: query.images, with: access
            ) { query.diagnostic(architectureOf: $0.architecture) }
            return try SymbolicationReply.json(symbolicated, for: query)
        }
    }

    @Sendable private func symbolicateReport(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let access = try access(of: request, context: context)
        let (body, reservation) = try await request.reservedBytes(
            limit: bodyLimit, memory: memory)
        let form = try AppleReportForm(body, contentType: request.headers[.contentType])
        let report = try self.report(in: form.report)
        return try await reply(to: request, context: context) {
            // The report refers to the body.
            defer { withExtendedLifetime(reservation) {} }
            let symbolicated = await symbolication.symbolicate(
                imagesOf: report.imageIDs, with: access
            ) { report.resolved(architectureOf: $0.architecture, placementOf: $0.placement) }
            return try SymbolicationReply.json(ofReport: symbolicated)
        }
    }

    private func report(in bytes: [UInt8]) throws -> CrashReport {
        let processor = ReportProcessor(
            reader: CrashFileReader(limits: symbolication.reader.limits), format: .json)
        let files: [ParsedReportFile]
        do throws(ReportFinder.Failure) {
            files = try ReportFinder.files(
                in: bytes, name: "apple_crash_report", byteLimit: bodyLimit, processor: processor)
        } catch { throw Self.noReport(because: error) }
        guard let report = files.first?.content.reports.first else {
            throw Self.noReport(because: .noReport(reason: nil))
        }
        return report
    }

    private static func noReport(because failure: ReportFinder.Failure) -> RequestError {
        let reason =
            switch failure {
            case .unpacking(let error): error.problem
            case .noReport(let reason): reason ?? Problem(detail: "is not a crash report")
            }
        return .badRequest("no_report", reason.of(reason.subject ?? "apple_crash_report"))
    }

    @Sendable private func poll(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let timeout = try Self.timeout(of: request)
        let id = try context.parameters.pathText("id").lowercased()
        guard let state = try await pending.wait(for: id, by: context.caller, timeout ?? .zero)
        else {
            throw RequestError.notFound(
                Problem("request", detail: "unknown or forgotten", suggestion: "send it again"))
        }
        return try Self.response(state, id: id)
    }

    private func access(
        of request: Request, context: HTTPRequestContext
    ) throws -> DebugFileAccess {
        let scope = request.queryParameters.text("scope")
        let app = try context.caller.app(requested: scope == Self.globalScope ? nil : scope)
        return context.caller.access(preferring: app)
    }

    /// Starts the work, and waits for its end as long as the client requested.
    private func reply(
        to request: Request, context: HTTPRequestContext,
        _ work: @escaping @Sendable () async throws -> [UInt8]
    ) async throws -> Response {
        guard let timeout = try Self.timeout(of: request) else {
            return .json(bytes: try await work())
        }
        let id = try pending.start(by: context.caller, work)
        guard let state = try await pending.wait(for: id, by: context.caller, timeout)
        else {
            throw RequestError.notFound(
                Problem("request", detail: "unknown or forgotten", suggestion: "send it again"))
        }
        return try Self.response(state, id: id)
    }

    private static func response(_ state: PendingReplies.State, id: String) throws -> Response {
        switch state {
        case .finished(let result): .json(bytes: try result.get())
        case .running:
            .json(
                bytes: Array(
                    #"{"status":"pending","request_id":"\#(id)","retry_after":30}"#.utf8))
        }
    }

    /// The maximum time to wait for a result, in seconds.
    private static let longestWait = 60

    private static func timeout(of request: Request) throws -> Duration? {
        guard let text = request.queryParameters.text("timeout") else { return nil }
        guard let seconds = Int(text), seconds >= 0 else {
            throw RequestError.badRequest(
                "bad_timeout", Problem("timeout", detail: "not a number of seconds"))
        }
        return .seconds(min(seconds, longestWait))
    }

    /// `{"detail", "causes"}`
    static func response(of error: RequestError) throws -> Response {
        try .json(ErrorReply(detail: error.description, causes: [error.code]), status: error.status)
    }

    private struct ErrorReply: Encodable {
        let detail: String
        let causes: [String]
    }
}

/// The form of a request with a crash report. Only the report is used.
private struct AppleReportForm {
    let report: [UInt8]

    private static let name = "apple_crash_report"

    init(_ body: [UInt8], contentType: String?) throws(RequestError) {
        let boundary = HeaderParameters(contentType ?? "").first { $0.0 == "boundary" }?.1
        guard var reader = boundary.flatMap({ MultipartReader(boundary: $0) }) else {
            throw .badRequest(
                "malformed", Problem("form", detail: "not multipart/form-data with a boundary"))
        }
        reader.receive(body)
        var report: [UInt8]?
        var isReport = false
        do {
            while let event = try reader.next() {
                switch event {
                case .part(let name, _):
                    isReport = name == Self.name && report == nil
                    if isReport { report = [] }
                case .content(let bytes): if isReport { report? += bytes }
                case .endOfPart: isReport = false
                case .endOfBody: break
                }
            }
        } catch { throw .badRequest("malformed", Problem("form", detail: "\(error)")) }
        guard reader.isComplete else {
            throw .badRequest(
                "malformed", Problem("form", detail: "truncated", suggestion: "send the whole body")
            )
        }
        guard let report else {
            throw .badRequest("report_missing", Problem(detail: "missing apple crash report"))
        }
        self.report = report
    }
}

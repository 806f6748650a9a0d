import CallStacks
import Foundation
import HTMLText
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Ingest
import LogExtraction
import MetricKitPayloads
import Pages
import Problems
import Redaction
import ReportFormats
import ReportProcessing
import StackRendering
import SymbolIntake

/// The drop zone: receives files of any kind, shows reports from memory, and stores symbols.
struct DropController {
    let site: PageSite
    let archive: any DiagnosticArchive
    let catalogue: any Catalogue
    let symbolication: DiagnosticSymbolication
    let intake: UploadIntake
    let folders: DataFolders
    let bundleLimit: Int64
    let bodyLimit: Int
    let limiter: UploadLimiter
    let memory: RequestMemoryBudget
    let store: DropStore

    private static let questionLimit = 1 << 10
    /// The maximum number of missing images that dropped symbols are compared with.
    private static let wantedLimit = 1_000
    /// The number of reports of a list that dropped symbols are compared with.
    private static let shownLimit = 20

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/drop")) { request, context in
            let page = DropPage(canUpload: context.caller.scopes.contains(.upload))
            return try site.response(
                page.page(in: site.context(of: request, context)), to: request)
        }
        routes.post(site.route("/drop"), use: drop)
        routes.post(site.route("/drop/ask"), use: ask)
        routes.get(site.route("/r/:id"), use: show)
        routes.post(site.route("/r/:id/forget"), use: forget)
    }

    /// Receives a form with files.
    @Sendable private func drop(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        var parameters = UploadParameters(request.queryParameters)
        let reservation = try limiter.acquire()
        defer { limiter.release(reservation) }
        let receiver = UploadReceiver(
            intake: intake, folders: folders, byteLimit: bundleLimit,
            advice: "increase limits.bundle", formLimits: .drop)
        let files = try await receiver.parts(of: request, &parameters) {
            try limiter.add($0, to: reservation)
        }
        defer { for file in files { folders.remove(file.path) } }
        let wanted = try await wanted(request, context.caller)
        var dropped = try await reader(for: context.caller).read(
            files, options: try await options(parameters, files, context.caller))
        dropped.outcome = wanted.outcome(of: dropped.results)
        let id = store.add(dropped, of: context.caller)
        guard request.wantsJSON else {
            return try site.redirect(to: site.link("r", id), from: request)
        }
        return try .json(DropResponse(dropped, id, site))
    }

    /// Returns the images that the caller's diagnostics wait for, and those of the reports on the
    /// screen, which the query names.
    private func wanted(_ request: Request, _ caller: Caller) async throws -> WantedSymbols {
        let parameters = request.queryParameters
        var missing: [MissingImage] = []
        if caller.scopes.isSuperset(of: [.read, .upload]) {
            missing = try await archive.missingImages(
                MissingListQuery(scope: .app, boundApp: caller.app, limit: Self.wantedLimit)
            ).map(\.image)
        }
        var reported: [ImageStatus] = []
        for report in try reportsShown(parameters, caller) {
            reported += await symbolicated(report, caller).imagesLackingSymbols.app
        }
        return WantedSymbols(
            missing: missing, reported: reported,
            target: parameters.text("image").flatMap { ImageID($0) })
    }

    /// Returns the report on the screen, or the first ones if it shows the list of a drop.
    private func reportsShown(
        _ parameters: FlatDictionary<Substring, Substring>, _ caller: Caller
    ) throws -> [CrashReport] {
        guard let id = parameters.text("report"),
            let shown = store.files(id, for: caller, now: UnixTime.now())
        else { return [] }
        let number: Int? = try parameters.number("number")
        guard let number else { return shown.allReports.prefix(Self.shownLimit).map(\.report) }
        return [shown.report(number)?.report].compactMap(\.self)
    }

    private func reader(for caller: Caller) -> DropReader {
        DropReader(
            processor: processor, intake: intake, caller: caller, reportLimit: bodyLimit,
            memory: memory)
    }

    private var processor: ReportProcessor {
        site.reportProcessor(limits: symbolication.reader.limits)
    }

    /// Returns the owner and the build of dropped symbols, from the form or else from a bundle.
    private func options(
        _ parameters: UploadParameters, _ files: [IncomingFile], _ caller: Caller
    ) async throws -> UploadOptions {
        var parameters = parameters
        parameters.allowEmptyBuildParts()
        try parameters.bind(to: caller)
        let build = try parameters.build
        let options = UploadOptions(
            owner: SymbolOwner(app: caller.app ?? build?.app), build: build,
            isOwnedByNamedApp: true)
        guard build == nil, caller.scopes.contains(.upload) else { return options }
        return options.completed(
            with: try await intake.build(namedBy: files.map { ($0.path, $0.name) }))
    }

    /// Rejects a drop that is too large before it is sent.
    @Sendable private func ask(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let body = try await request.bytes(limit: Self.questionLimit)
        guard let question = try? JSONDecoder().decode(Question.self, from: Data(body)) else {
            throw RequestError.badRequest(
                "malformed",
                Problem(
                    "body", detail: "not of the form {\"bytes\": 1}",
                    suggestion: "send the size as a number"))
        }
        guard question.bytes <= bundleLimit else {
            throw RequestError(
                .contentTooLarge, "bundle_too_large",
                Problem(
                    "bundle", detail: "larger than \(bundleLimit) bytes, the limit",
                    suggestion: "increase limits.bundle"))
        }
        if question.bytes > Int64(bodyLimit), !context.caller.scopes.contains(.upload) {
            throw RequestError(
                .forbidden, "scope_missing",
                Problem(
                    "bundle", detail: "the token does not have scope 'upload'",
                    suggestion: "use another token"),
                callerName: context.caller.name)
        }
        try intake.checkFreeSpace(for: max(question.bytes, 0))
        return try .json(Admission(accepted: true))
    }

    private struct Question: Decodable { let bytes: Int64 }

    private struct Admission: Encodable { let accepted: Bool }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let id = try context.parameters.pathText("id")
        guard let dropped = store.files(id, for: context.caller, now: UnixTime.now()) else {
            throw RequestError(
                .gone, "gone",
                Problem(
                    "dropped report",
                    detail: "no longer in memory: they are kept for an hour at most",
                    suggestion: "drop the file again"))
        }
        let requested: Int? = try request.queryParameters.number("report")
        let page = site.context(of: request, context)
        guard let number = requested ?? (dropped.isSingleReport ? 0 : nil),
            let (file, report) = dropped.report(number)
        else {
            let list = await list(of: dropped, id, context.caller)
            return try site.response(list.page(in: page), to: request)
        }
        if let form: DownloadForm = try request.queryParameters.choice("download") {
            return try await download(form, of: report, in: file, context.caller)
        }
        let diagnostic = await symbolicated(report, context.caller)
        var content = try DiagnosticPage(
            diagnostic, site, request, segments: ["r", id], report: requested,
            isBinary: report.format.isBinary)
        content.isWaiting = !diagnostic.imagesLackingSymbols.app.isEmpty
        content.notes = ["A dropped report. It is kept in memory for an hour, and not stored."]
        content.forget = site.link("r", id, "forget")
        content.facts = try await SymbolArrival(catalogue: catalogue).facts(
            about: diagnostic, receivedAt: dropped.arrival,
            with: context.caller.access(preferring: report.app))
        if content.options.form == .original { content.text = site.original(file) }
        return try site.response(
            content.page(in: page), to: request, remembering: content.options)
    }

    private func download(
        _ form: DownloadForm, of report: CrashReport, in file: ParsedReportFile, _ caller: Caller
    ) async throws -> Response {
        switch form {
        case .original: return try .download(original: file, named: "report")
        case .format(.same):
            return try await reportSymbolication(for: caller).download(
                file, of: report.format, named: "report")
        case .format(let format):
            return try .download(
                await symbolicated(report, caller), as: format, named: "report")
        }
    }

    private func list(
        of dropped: DroppedFiles, _ id: String, _ caller: Caller
    ) async -> DroppedPage {
        var page = DroppedPage(id: id)
        for (_, report) in dropped.allReports {
            let diagnostic = await symbolicated(report, caller)
            page.reports.append(
                DroppedPage.Report(
                    title: diagnostic.title, status: diagnostic.status,
                    app: diagnostic.details.appWithVersion))
        }
        page.files = dropped.results.map { result in
            DroppedPage.File(
                name: result.name, image: result.image, architecture: result.architecture,
                status: result.status, reason: result.reason)
        }
        page.outcome = dropped.outcome
        page.unknown = dropped.unknown
        page.formats = CrashFormat.allDisplayNames
        return page
    }

    private func symbolicated(
        _ report: CrashReport, _ caller: Caller
    ) async -> SymbolicatedDiagnostic {
        await reportSymbolication(for: caller).symbolicated(report).redactedWithDetails(
            site.redaction)
    }

    private func reportSymbolication(for caller: Caller) -> ReportSymbolication {
        ReportSymbolication(site: site, symbolication: symbolication, caller: caller)
    }

    @Sendable private func forget(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        store.forget(try context.parameters.pathText("id"), for: context.caller)
        return try site.redirect(to: site.link("drop"), from: request)
    }
}

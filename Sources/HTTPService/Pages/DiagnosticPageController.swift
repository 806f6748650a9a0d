import CallStacks
import FlameGraphs
import HTMLText
import HTTPTypes
import HexadecimalDigits
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

/// The page of a received diagnostic, and its downloads.
struct DiagnosticPageController {
    let site: PageSite
    let archive: any DiagnosticArchive
    let groups: any GroupArchive
    let catalogue: any Catalogue
    let lookup: DiagnosticLookup
    let symbolication: DiagnosticSymbolication
    /// The largest received report, in bytes.
    let bodyLimit: Int

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/d/:id"), use: show)
    }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let record = try await record(try context.parameters.pathText("id"), context)
        let download: DownloadForm? = try request.queryParameters.choice("download")
        guard let stored = try await lookup.stored(record) else { throw Self.gone(record) }
        if let download {
            return try await self.download(stored, record, as: download, context.caller)
        }
        let diagnostic = try await diagnostic(of: stored, record, context.caller)
        var page = try DiagnosticPage(diagnostic, site, request, segments: ["d", record.uid])
        page.facts = facts(about: record)
        var parts = PageParts()
        page.facts += await parts.read("Arrival of symbols", or: []) {
            try await SymbolArrival(catalogue: catalogue).facts(
                about: diagnostic, receivedAt: record.arrival,
                with: context.caller.access(preferring: record.app))
        }
        page.group = record.fingerprint
        page.isWaiting = !record.wanted.isEmpty
        await parts.read("Newer and older diagnostics", or: ()) {
            try await addNeighbours(of: record, to: &page, context.caller)
        }
        let received = stored.received
        page.trace = trace(of: received)
        page.attributes = RecordAttributes(
            aliases: symbolication.reader.aliases, redaction: site.redaction
        ).rows(of: received)
        if page.options.form == .original {
            page.text =
                originalFile(of: stored).map { site.original($0) } ?? PageSite.unreadableOriginal
        }
        return try site.response(
            page.page(in: site.context(of: request, context, parts)), to: request,
            remembering: page.options)
    }

    /// Returns the symbolicated diagnostic, redacted.
    private func diagnostic(
        of stored: DiagnosticLookup.Stored, _ record: DiagnosticRecord, _ caller: Caller,
        findingCallStarts: Bool = false
    ) async throws -> SymbolicatedDiagnostic {
        let found = await stored.symbolicated(
            boundTo: caller.app, findingCallStarts: findingCallStarts)
        guard let diagnostic = found.first?.redactedWithDetails(site.redaction) else {
            throw Self.gone(record)
        }
        return diagnostic
    }

    private func download(
        _ stored: DiagnosticLookup.Stored, _ record: DiagnosticRecord, as form: DownloadForm,
        _ caller: Caller
    ) async throws -> Response {
        switch form {
        case .original:
            guard let file = originalFile(of: stored) else { throw Self.gone(record) }
            return try .download(original: file, named: record.uid)
        case .format(.same):
            return try await ownFormat(of: stored, record, caller)
        case .format(let format):
            let diagnostic = try await diagnostic(
                of: stored, record, caller, findingCallStarts: form.showsCallDistances)
            return try .download(diagnostic, as: format, named: record.uid)
        }
    }

    /// Adds the links to the neighbours in the group, and the position in the group unless many
    /// diagnostics are newer.
    private func addNeighbours(
        of record: DiagnosticRecord, to page: inout DiagnosticPage, _ caller: Caller
    ) async throws {
        var query = DiagnosticQuery(limit: 1)
        query.app = caller.app ?? record.app
        query.fingerprint = record.fingerprint
        query.before = record.address
        page.older = try await archive.diagnostics(query).first?.uid
        query.after = record.address
        page.newer = try await archive.diagnostics(query).first?.uid
        query.limit = DiagnosticQuery.largestLimit
        let newerCount = try await archive.count(query)
        let group = try await groups.groups(fingerprint: record.fingerprint, app: query.app)
            .first { $0.app == record.app }
        guard let group, newerCount < min(query.limit, group.diagnosticCount) else { return }
        page.position = (newerCount + 1, group.diagnosticCount)
    }

    private func trace(
        of received: DiagnosticLookup.Received
    ) -> (id: String, target: LinkTarget?)? {
        guard !received.trace.isEmpty else { return nil }
        let links = site.settings.traceLinks.flatMap(TraceLinks.init(template:))
        let id = received.trace.hexadecimal
        return (id, links?.target(trace: id, span: received.span.hexadecimal))
    }

    /// Returns the file with the report as received, redacted, or `nil` if it cannot be read.
    private func originalFile(of stored: DiagnosticLookup.Stored) -> ParsedReportFile? {
        guard let bytes = stored.original() else { return nil }
        let processor = site.reportProcessor(limits: symbolication.reader.limits)
        return try? ReportFinder.files(
            in: bytes, name: "report", byteLimit: bodyLimit, processor: processor
        ).first
    }

    /// Returns the report as received, redacted, with functions and lines in place of addresses.
    private func ownFormat(
        of stored: DiagnosticLookup.Stored, _ record: DiagnosticRecord, _ caller: Caller
    ) async throws -> Response {
        guard let file = originalFile(of: stored), let report = file.content.reports.first
        else { throw Self.gone(record) }
        return try await ReportRewriter(site: site, symbolication: symbolication, caller: caller)
            .download(file, of: report.format, named: record.uid)
    }

    private static func gone(_ record: DiagnosticRecord) -> RequestError {
        RequestError(
            .gone, "gone",
            Problem(
                "diagnostic '\(record.uid)'",
                detail: "its report is no longer stored, or is damaged",
                suggestion: "see the log for archived objects that cannot be read"))
    }

    private func facts(about record: DiagnosticRecord) -> [(label: String, value: String)] {
        let state = record.state == .held ? "waits for symbols before it is sent" : nil
        let facts = [
            ("Received", record.arrival.pageText), ("Revision", "\(record.revision)"),
            ("State", state),
        ]
        return facts.compactMap { label, value in value.map { (label, $0) } }
    }

    private func record(
        _ id: String, _ context: HTTPRequestContext
    ) async throws -> DiagnosticRecord {
        let record = try await DiagnosticFinder(archive: archive).record(
            id, app: context.caller.app)
        guard let record else {
            throw RequestError.notFound(
                Problem(
                    "diagnostic '\(id.prefix(100))'",
                    detail: "unknown, or removed after its retention",
                    suggestion: "look for it among all crashes"))
        }
        return record
    }
}

extension DiagnosticPage {
    /// Creates the page of a diagnostic with the choices of a request.
    ///
    /// - Parameters:
    ///   - report: The number of the report among several of a drop.
    ///   - isBinary: Whether its file is binary, so that the file cannot be redacted.
    init(
        _ diagnostic: SymbolicatedDiagnostic, _ site: PageSite, _ request: Request,
        segments: [String], report: Int? = nil, isBinary: Bool = false
    ) throws {
        self.init(diagnostic, segments: segments)
        self.report = report
        options = try DiagnosticViewOptions(
            request.queryParameters, remembering: site.viewWords(of: request))
        flame = try FlameViewOptions(request.queryParameters)
        links = site.settings.sourceLinks.flatMap(SourceLinks.init(template:))
        var formats: [(String, OutputFormat)] = [
            ("Text", .text), ("JSON", .json), ("Markdown", .markdown),
        ]
        if AppleCrashText.canExpress(diagnostic) { formats.insert((".crash", .crash), at: 0) }
        if diagnostic.form == .sampled {
            formats += [("Collapsed stacks", .collapsed), ("Speedscope", .speedscope)]
        }
        if !isBinary { formats.append(("Own format", .same)) }
        var forms = formats.map { ($0, DownloadForm.format($1)) }
        if !isBinary { forms.append(("As received", .original)) }
        downloads = forms.map { name, form in
            let query = [("report", report.map { "\($0)" }), ("download", form.rawValue)]
            return (name, LinkTarget(prefix: site.prefix, segments: segments, query: query))
        }
        switch options.form {
        case .text: text = StackText().report(of: diagnostic)
        case .stack, .original: break
        }
    }
}

extension FlameViewOptions {
    /// The maximum length of a search text, in characters.
    private static let searchLimit = 200

    /// Reads the choices of a query.
    init(_ parameters: FlatDictionary<Substring, Substring>) throws {
        self.init()
        if let grouping: FlameGraphBuilder.Grouping = try parameters.choice("by") {
            self.grouping = grouping
        }
        showsSystemFrames = parameters.text("system") != "hidden"
        mergesRecursion = parameters.text("recursion") == "merged"
        thread = try parameters.number("thread")
        readView(parameters)
    }

    /// Reads the options of every flame graph.
    mutating func readView(_ parameters: FlatDictionary<Substring, Substring>) {
        opensChains = parameters.text("chains") == "open"
        zoom = parameters.text("at").flatMap { CellID($0) }
        search = String((parameters.text("q") ?? "").prefix(Self.searchLimit))
    }
}

extension DiagnosticViewOptions {
    /// Reads the choices of a query.
    init(
        _ parameters: FlatDictionary<Substring, Substring>, remembering words: [String]
    ) throws {
        self.init(remembering: words)
        // These are about the stack, so that they choose it unless the URL names another view.
        if ["frames", "names", "paths", "thread"].contains(where: { parameters.text($0) != nil }) {
            form = .stack
        }
        if let frames: Frames = try parameters.choice("frames") { self.frames = frames }
        if let names: Names = try parameters.choice("names") { self.names = names }
        if let paths: Paths = try parameters.choice("paths") { self.paths = paths }
        if let form: Form = try parameters.choice("view") { self.form = form }
        thread = try parameters.number("thread")
        firstRow = max(try parameters.number("from") ?? 0, 0)
    }
}

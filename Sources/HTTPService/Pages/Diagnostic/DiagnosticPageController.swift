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
    /// The maximum size of a received report, in bytes.
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
        addFacts(of: stored, record, to: &page)
        var parts = PageParts()
        page.facts += await parts.read("Arrival of symbols", or: []) {
            try await SymbolArrival(catalogue: catalogue).facts(
                about: diagnostic, receivedAt: record.arrival,
                with: context.caller.access(preferring: record.app))
        }
        await parts.read("Newer and older diagnostics", or: ()) {
            try await addNeighbours(of: record, to: &page, context.caller)
        }
        return try site.response(
            page.page(in: site.context(of: request, context, parts)), to: request,
            remembering: page.options)
    }

    /// Adds the stored facts other than the stacks.
    private func addFacts(
        of stored: DiagnosticLookup.Stored, _ record: DiagnosticRecord,
        to page: inout DiagnosticPage
    ) {
        page.facts = facts(about: record)
        page.group = record.fingerprint
        page.groupApp = record.app
        page.isWaiting = !record.wanted.isEmpty
        page.trace = trace(of: stored.received)
        page.attributes = RecordAttributes(
            aliases: symbolication.reader.aliases, redaction: site.redaction
        ).rows(of: stored.received)
        if page.options.form == .original {
            page.text =
                originalFile(of: stored).map { site.original($0) } ?? PageSite.unreadableOriginal
        }
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

    /// Adds links to the neighbours in the group, and the position in the group unless too many
    /// diagnostics are newer.
    private func addNeighbours(
        of record: DiagnosticRecord, to page: inout DiagnosticPage, _ caller: Caller
    ) async throws {
        var query = DiagnosticQuery()
        query.app = caller.app ?? record.app
        query.fingerprint = record.fingerprint
        let neighbours = try await archive.neighbours(of: record.address, in: query)
        (page.older, page.newer) = (neighbours.older, neighbours.newer)
        let group = try await groups.groups(fingerprint: record.fingerprint, app: query.app)
            .first { $0.app == record.app }
        let newerCount = neighbours.newerCount
        guard let group, newerCount < min(DiagnosticQuery.largestLimit, group.diagnosticCount)
        else { return }
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
        return try await ReportSymbolication(
            site: site, symbolication: symbolication, caller: caller
        )
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
                    suggestion: "search the list of crashes and hangs"))
        }
        return record
    }
}

import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest
import Pages
import Problems
import Redaction
import SymbolIntake

/// The page of a group.
struct GroupPageController {
    let site: PageSite
    let archive: any DiagnosticArchive
    let groups: any GroupArchive
    let flames: MergedFlames
    let lookup: DiagnosticLookup

    /// The number of diagnostics on one page.
    private static let pageLength = 50

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/g/:fingerprint"), use: show)
    }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let parameters = request.queryParameters
        let all = try await groupsOfApps(parameters, context)
        let group = all[0]
        if group.kind.isSampled,
            let format: FlameController.Format = try parameters.choice("download")
        {
            return try await download(group, as: format, FlameViewOptions(merged: parameters))
        }
        var page = page(of: group)
        page.otherApps = all.dropFirst().compactMap(\.app)
        let found = try await diagnostics(of: group, parameters)
        page.rows = found.rows.map(DiagnosticRow.init)
        page.neighbours = found.neighbours(\.address.description)
        if group.kind.isSampled { page.flameOptions = try FlameViewOptions(merged: parameters) }
        do {
            if group.kind.isSampled {
                page.flame = try await mergedStacks(of: group, page.flameOptions)
            } else if !found.hasNewer {
                page.newest = try await newest(of: group, context.caller)
            }
        } catch {
            page.stackProblem = Problem(error).description
        }
        return try site.response(page.page(in: site.context(of: request, context)), to: request)
    }

    /// Returns the groups of the requested fingerprint, at least one: of the requested app, or of
    /// each app.
    private func groupsOfApps(
        _ parameters: FlatDictionary<Substring, Substring>, _ context: HTTPRequestContext
    ) async throws -> [DiagnosticGroup] {
        let fingerprint = try context.parameters.pathText("fingerprint")
        let app = try context.caller.app(requested: parameters.text("app"))
        let found = try await groups.groups(fingerprint: fingerprint, app: app)
        guard found.isEmpty else { return found }
        throw RequestError.notFound(
            Problem(
                "group '\(fingerprint.prefix(100))'",
                detail: "unknown, or removed after its retention",
                suggestion: "search the list of crashes and hangs"))
    }

    private func page(of group: DiagnosticGroup) -> GroupPage {
        let now = UnixTime.now()
        let row = GroupRow(
            group, days: GroupPage.dayCount, redaction: site.redaction, now: now)
        var page = GroupPage(group: row, firstSeen: group.firstSeen, now: now)
        page.versions = group.versions.reversed().map(GroupPage.Version.init)
        return page
    }

    private func mergedStacks(
        of group: DiagnosticGroup, _ options: FlameViewOptions
    ) async throws -> MergedStacks {
        MergedStacks(try await flames.flame(FlameQuery(group.stacks), by: options.weighting))
    }

    private func download(
        _ group: DiagnosticGroup, as format: FlameController.Format, _ options: FlameViewOptions
    ) async throws -> Response {
        let flame = try await flames.flame(FlameQuery(group.stacks), by: options.weighting)
        return try .download(flame, of: group.stacks, by: options.weighting, as: format)
    }

    private func diagnostics(
        of group: DiagnosticGroup, _ parameters: FlatDictionary<Substring, Substring>
    ) async throws -> ListPage<DiagnosticRecord> {
        let start = try parameters.start(
            of: ListPage<DiagnosticRecord>.self, RecordAddress.init)
        return try await ListPage(from: start, length: Self.pageLength) { start, count in
            var query = DiagnosticQuery(limit: count)
            query.app = group.app
            query.fingerprint = group.fingerprint
            (query.before, query.after) = (start.before, start.after)
            return try await archive.diagnostics(query)
        }
    }

    /// Returns the newest diagnostic of a group, or `nil` if its report was removed.
    private func newest(
        of group: DiagnosticGroup, _ caller: Caller
    ) async throws -> SymbolicatedDiagnostic? {
        guard let record = try await archive.diagnostic(at: group.newest) else { return nil }
        let found = try await lookup.diagnostics(of: record, boundTo: caller.app)
        return found.first?.redactedWithDetails(site.redaction)
    }

}

extension GroupPage.Version {
    fileprivate init(_ version: GroupVersion) {
        self.init(
            version: version.version, count: version.diagnosticCount,
            firstSeen: version.firstSeen, lastSeen: version.lastSeen,
            resolvedFrames: version.symbolicatedFrameCount, frames: version.frameCount)
    }
}

extension MergedStacks {
    init(_ flame: MergedFlames.Flame) {
        self.init(
            graph: flame.outline, mergedCount: flame.mergedCount,
            diagnosticCount: flame.diagnosticCount)
    }
}

extension DiagnosticGroup {
    /// The stacks of its diagnostics.
    fileprivate var stacks: FlameQuery.Subject { .group(fingerprint: fingerprint, app: app) }
}

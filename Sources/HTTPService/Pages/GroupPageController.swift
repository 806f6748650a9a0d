import CallStacks
import HTMLText
import Hummingbird
import HummingbirdCore
import Ingest
import MetricKitSignals
import Pages
import Problems
import Redaction
import StackRendering
import SymbolIntake

/// The front page with the groups, the page of a group, and the search.
struct GroupPageController {
    let site: PageSite
    let archive: any DiagnosticArchive
    let groups: any GroupArchive
    let flames: MergedFlames
    let lookup: DiagnosticLookup

    /// The number of rows on one page of a list.
    static let pageLength = 50

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/"), use: list)
        routes.get(site.route("/g/:fingerprint"), use: group)
        routes.get(site.route("/search"), use: search)
    }

    @Sendable private func list(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let parameters = request.queryParameters
        var filter = try GroupListPage.Filter(parameters)
        let query = try await query(request, context)
        if filter.app != nil { filter.app = query.app }
        filter.version = query.version
        let start = try parameters.start(
            of: ListPage<DiagnosticGroup>.self, GroupQuery.Position.init)
        let found = try await ListPage(from: start, length: Self.pageLength) { start, count in
            try await groups.groups(query.page(from: start, length: count))
        }
        var page = GroupListPage(filter: filter, now: UnixTime.now())
        page.rows = found.rows.map {
            GroupRow($0, redaction: site.redaction, now: page.now)
        }
        page.neighbours = found.neighbours { query.position(of: $0).description }
        page.apps = try await groups.apps(of: context.caller)
        var parts = PageParts()
        if let app = query.app {
            page.versions = await parts.read("Versions", or: []) {
                try await groups.versions(of: app).reversed()
            }
        }
        let counts = await parts.read("Counts", or: [:]) {
            try await groups.groupCounts(app: query.app)
        }
        page.counts = DiagnosticKind.allCases.compactMap { kind in
            counts[kind].map { (kind, $0) }
        }
        if page.rows.isEmpty, filter.isActive {
            let app = context.caller.app
            let all = await parts.read("Count without filters", or: counts) {
                app == query.app ? counts : try await groups.groupCounts(app: app)
            }
            page.unfilteredCount = all.values.reduce(0, +)
        }
        page.unreadable = await parts.read("Missing symbols", or: nil) {
            try await unreadable(app: query.app, context.caller)
        }
        return try site.response(
            page.page(in: site.context(of: request, context, parts)), to: request)
    }

    /// Returns the query of a list, with the app and the version that its menus sent.
    private func query(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> GroupQuery {
        var query = try GroupController.query(request, context)
        query.app = try await groups.app(sentAs: query.app, by: context.caller)
        query.version = try await groups.version(sentAs: query.version, of: query.app)
        return query
    }

    /// Returns the diagnostics that wait for symbols of apps, or `nil` if there are none.
    private func unreadable(
        app: String?, _ caller: Caller
    ) async throws -> GroupListPage.Unreadable? {
        let missing = try await archive.missingSummary(
            MissingQuery(scope: .app, app: app, boundApp: caller.app))
        guard missing.imageCount > 0 else { return nil }
        return GroupListPage.Unreadable(
            diagnostics: missing.largestWaitingCount, images: missing.imageCount)
    }

    @Sendable private func group(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let parameters = request.queryParameters
        let fingerprint = try context.parameters.pathText("fingerprint")
        let app = try context.caller.app(requested: parameters.text("app"))
        let all = try await groups.groups(fingerprint: fingerprint, app: app)
        guard let group = all.first else {
            throw RequestError.notFound(
                Problem(
                    "group '\(fingerprint.prefix(100))'",
                    detail: "unknown, or removed after its retention",
                    suggestion: "look for it among all crashes"))
        }
        if group.kind.isSampled,
            let format: FlameController.Format = try parameters.choice("download")
        {
            return try await download(group, as: format, FlameViewOptions(merged: parameters))
        }
        let now = UnixTime.now()
        let row = GroupRow(
            group, days: GroupPage.dayCount, redaction: site.redaction, now: now)
        var page = GroupPage(group: row, firstSeen: group.firstSeen, now: now)
        page.versions = group.versions.reversed().map(GroupPage.Version.init)
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

    /// Redirects to the diagnostic, group or image that the text identifies, or else to the groups
    /// that contain the text.
    @Sendable private func search(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let text = (request.queryParameters.text("q") ?? "").filter {
            !$0.isWhitespace || $0 == " "
        }
        if let record = try await DiagnosticFinder(archive: archive).record(
            text, app: context.caller.app)
        {
            return try site.redirect(to: site.link("d", record.uid), from: request)
        }
        var query = DiagnosticQuery(limit: 1)
        query.app = context.caller.app
        query.fingerprint = text
        if !text.isEmpty, try await !archive.diagnostics(query).isEmpty {
            return try site.redirect(to: site.link("g", text), from: request)
        }
        if let image = ImageID(text), image.bytes.count >= Self.shortestIdentity {
            return try site.redirect(to: site.link("images", image.description), from: request)
        }
        return try site.redirect(
            to: site.link(query: [("q", text.isEmpty ? nil : text)]), from: request)
    }

    /// The minimum length of hexadecimal digits that are treated as an image identity, in bytes.
    private static let shortestIdentity = 8
}

extension GroupRow {
    /// The number of days of a sparkline.
    private static let sparklineDays = 30

    init(
        _ group: DiagnosticGroup, days: Int = sparklineDays, redaction: RedactionLevel,
        now: UnixTime
    ) {
        self.init(
            app: group.app, fingerprint: group.fingerprint, title: group.title(redaction),
            kind: group.kind, count: group.diagnosticCount, lastSeen: group.lastSeen)
        culprit = group.culprit ?? group.exceptionName
        versions = group.versions.reversed().compactMap(\.version)
        self.days = group.counts(ofLastDays: days, now: now)
        trend = group.trend.map { $0 == .new ? .new : .back }
        isRaw = group.isRaw
    }
}

extension DiagnosticRow {
    init(_ record: DiagnosticRecord) {
        self.init(
            uid: record.uid, address: record.address.description, status: record.status,
            app: record.app, version: record.version, build: record.build, time: record.arrival,
            frames: (record.symbolicatedFrameCount, record.frameCount))
    }
}

extension GroupListPage.Filter {
    /// Reads the filter of a query.
    init(_ parameters: FlatDictionary<Substring, Substring>) throws {
        self.init()
        app = parameters.text("app")
        kind = try parameters.choice("kind")
        version = parameters.text("version")
        status = try parameters.choice("status")
        sort = try parameters.choice("sort")
        text = parameters.text("q")
    }
}

extension GroupQuery {
    /// Returns the query for the same list from another position on.
    fileprivate func page(
        from start: ListPage<DiagnosticGroup>.Start<Position>, length: Int
    ) -> Self {
        var query = self
        query.limit = length
        (query.before, query.after) = (start.before, start.after)
        return query
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

    /// Returns the event and its location, redacted.
    func title(_ redaction: RedactionLevel) -> String {
        let exception = exceptionMessage.map { redaction.redacted(message: $0) } ?? exceptionName
        // Groups of earlier versions may have an empty name.
        let cause = exception.flatMap { $0.isEmpty ? nil : $0 } ?? kind.words
        return culprit.map { "\(cause) — \($0)" } ?? cause
    }

    /// Returns the numbers of diagnostics on the last days, oldest first. The last one is today's.
    fileprivate func counts(ofLastDays count: Int, now: UnixTime) -> [Int] {
        var counts = Array(repeating: 0, count: count)
        let today = now.day
        for day in days where (0..<Int64(count)).contains(today - day.day) {
            counts[count - 1 - Int(today - day.day)] = day.diagnosticCount
        }
        return counts
    }
}

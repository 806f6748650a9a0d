import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest
import Pages
import SymbolIntake

/// The front page, which lists the groups.
struct GroupListController {
    let site: PageSite
    let archive: any DiagnosticArchive
    let groups: any GroupArchive

    /// The number of groups on one page.
    private static let pageLength = 50

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/"), use: list)
    }

    @Sendable private func list(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let query = try await query(request, context)
        let filter = try GroupListPage.Filter(request.queryParameters, resolved: query)
        var page = try await page(filter, query, request)
        page.apps = try await groups.apps(of: context.caller)
        var parts = PageParts()
        if let app = query.app {
            page.versions = await parts.read("Versions", or: []) {
                try await groups.versions(of: app).reversed()
            }
        }
        await addCounts(to: &page, app: query.app, context.caller, &parts)
        page.unreadable = await parts.read("Missing symbols", or: nil) {
            try await unreadable(app: query.app, context.caller)
        }
        return try site.response(
            page.page(in: site.context(of: request, context, parts)), to: request)
    }

    /// Returns the page with its rows.
    private func page(
        _ filter: GroupListPage.Filter, _ query: GroupQuery, _ request: Request
    ) async throws -> GroupListPage {
        let start = try request.queryParameters.start(
            of: ListPage<DiagnosticGroup>.self, GroupQuery.Position.init)
        let found = try await ListPage(from: start, length: Self.pageLength) { start, count in
            try await groups.groups(query.page(from: start, length: count))
        }
        var page = GroupListPage(filter: filter, now: UnixTime.now())
        page.rows = found.rows.map {
            GroupRow($0, redaction: site.redaction, now: page.now)
        }
        page.neighbours = found.neighbours { query.position(of: $0).description }
        return page
    }

    /// Adds the numbers of groups of each kind, and the number of all groups if none match the
    /// filter.
    private func addCounts(
        to page: inout GroupListPage, app: String?, _ caller: Caller, _ parts: inout PageParts
    ) async {
        let counts = await parts.read("Counts", or: [:]) {
            try await groups.groupCounts(app: app)
        }
        page.counts = DiagnosticKind.allCases.compactMap { kind in
            counts[kind].map { (kind, $0) }
        }
        guard page.rows.isEmpty, page.filter.isActive else { return }
        let all = await parts.read("Count without filters", or: counts) {
            caller.app == app ? counts : try await groups.groupCounts(app: caller.app)
        }
        page.unfilteredCount = all.values.reduce(0, +)
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
}

extension GroupListPage.Filter {
    /// Reads the filter of a query.
    ///
    /// - Parameter resolved: The query with the app and the version that the menus sent.
    fileprivate init(
        _ parameters: FlatDictionary<Substring, Substring>, resolved: GroupQuery
    ) throws {
        self.init()
        app = parameters.text("app").flatMap { _ in resolved.app }
        kind = try parameters.choice("kind")
        version = resolved.version
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

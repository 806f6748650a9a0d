import CallStacks
import DebugFiles
import Hummingbird
import HummingbirdCore
import Ingest
import Pages
import Problems
import SymbolIntake

/// The pages of the uploaded builds.
struct BuildPageController {
    let site: PageSite
    let archive: any DiagnosticArchive
    let catalogue: any Catalogue
    let groups: any GroupArchive
    let removal: SymbolRemoval

    /// The number of builds on one page.
    static let pageLength = 100
    /// The number of uploads on the first page.
    private static let uploadLimit = 20
    /// The maximum number of an app's missing images that are searched for those of a build.
    private static let missingLimit = 1_000

    func addReadRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/builds"), use: list)
        routes.get(site.route("/builds/:app/:version/:build"), use: show)
    }

    func addDeleteRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/builds/:app/:version/:build/delete"), use: confirm)
        routes.post(site.route("/builds/:app/:version/:build/delete"), use: remove)
    }

    @Sendable private func list(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let app = try context.caller.app(requested: request.queryParameters.text("app"))
        var query = BuildQuery(app: app)
        query.includesImages = false
        let builds = try await catalogue.builds(query).sorted {
            BuildPosition($1) < BuildPosition($0)
        }
        let start = try request.queryParameters.start(
            of: ListPage<BuildContents>.self, BuildPosition.init)
        let found = try await ListPage(from: start, length: Self.pageLength) { start, count in
            BuildPosition.rows(of: builds, from: start, count: count)
        }
        let rows = try await contents(of: found.rows.map(\.build)).map(BuildRow.init)
        var page = BuildListPage(builds: rows, now: UnixTime.now())
        var parts = PageParts()
        await parts.read("Diagnostics", or: ()) { try await addCoverage(to: &page) }
        page.app = request.queryParameters.text("app")
        page.neighbours = found.neighbours { BuildPosition($0).description }
        if !found.hasNewer {
            var query = DebugFileQuery(limit: Self.uploadLimit)
            query.access = context.caller.access()
            query.app = app
            page.uploads = await parts.read("Last uploads", or: []) {
                try await catalogue.debugFiles(query).map(DebugFileRow.init)
            }
        }
        page.refused = await parts.read("Refused uploads", or: []) {
            try await catalogue.refusals(app: context.caller.app).map(RefusedUpload.init)
        }
        return try site.response(
            page.page(in: site.context(of: request, context, parts)), to: request)
    }

    private func addCoverage(to page: inout BuildListPage) async throws {
        for index in page.builds.indices {
            let build = page.builds[index].build
            page.builds[index].coverage = try await groups.coverage(
                of: build.version, app: build.app
            ).map(VersionCoverageRow.init)
        }
    }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let found = try await contents(of: try build(context))
        let canDelete = context.caller.scopes.contains(.upload)
        var page = BuildPage(build: BuildRow(found), canDelete: canDelete, now: UnixTime.now())
        page.absent = try await absentImages(of: found, context.caller)
        return try site.response(page.page(in: site.context(of: request, context)), to: request)
    }

    private func contents(of build: Build) async throws -> BuildContents {
        guard let found = try await contents(of: [build]).first else { throw Self.unknown(build) }
        return found
    }

    /// Returns the contents of builds in the given order, without those that are unknown.
    private func contents(of builds: [Build]) async throws -> [BuildContents] {
        var query = BuildQuery()
        query.builds = builds
        let contents = try await catalogue.builds(query)
        let byBuild = Dictionary(contents.map { ($0.build, $0) }) { first, _ in first }
        return builds.compactMap { byBuild[$0] }
    }

    /// Shows which files the deletion of a build would remove.
    @Sendable private func confirm(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let build = try build(context)
        let found = try await contents(of: build)
        guard let files = try await catalogue.exclusiveFiles(of: build) else {
            throw Self.unknown(build)
        }
        var page = BuildDeletionPage(
            build: BuildRow(found), files: files.map(DebugFileRow.init))
        page.byteCount = files.distinctByteCount
        let removed = Set(files.map(\.image))
        page.kept = found.images.compactMap { image, file in
            guard let file, !removed.contains(image.image) else { return nil }
            return BuildDeletionPage.KeptImage(
                id: image.image, name: image.name,
                reason: file.owner == .everyone
                    ? "uploaded for all apps" : "part of another build of the app")
        }
        if context.caller.scopes.contains(.read) {
            page.diagnostics = try await diagnostics(of: found, context.caller)
        }
        return try site.response(page.page(in: site.context(of: request, context)), to: request)
    }

    private func diagnostics(
        of contents: BuildContents, _ caller: Caller
    ) async throws -> BuildDeletionPage.Diagnostics {
        var query = DiagnosticQuery(limit: DiagnosticQuery.largestLimit)
        query.app = contents.build.app
        query.version = contents.build.version
        query.build = contents.build.build
        query.status = .symbolicated
        var readable = try await archive.count(query)
        query.status = .partial
        readable += try await archive.count(query)
        let absent = try await absentImages(of: contents, caller)
        return BuildDeletionPage.Diagnostics(
            readable: readable, isLowerBound: readable >= query.limit,
            waiting: absent.map(\.waiting).max() ?? 0)
    }

    /// Returns the images that diagnostics of a build wait for and that none of its uploads
    /// contained.
    private func absentImages(
        of contents: BuildContents, _ caller: Caller
    ) async throws -> [MissingRow] {
        let build = contents.build
        let missing = try await archive.missingImages(
            MissingListQuery(
                scope: .app, app: build.app, boundApp: caller.app, limit: Self.missingLimit))
        let uploaded = Set(contents.images.map(\.image.image))
        return missing.filter { listed in
            listed.image.appVersions.contains("\(build.version) (\(build.build))")
                && !uploaded.contains(listed.image.image)
        }.map { MissingRow($0, reason: "") }
    }

    @Sendable private func remove(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let build = try build(context)
        guard try await removal.remove(build) != nil else { throw Self.unknown(build) }
        return try site.redirect(to: site.link("builds"), from: request)
    }

    private func build(_ context: HTTPRequestContext) throws -> Build {
        let app = try context.parameters.pathText("app")
        return Build(
            app: try context.caller.app(requested: app) ?? app,
            version: try context.parameters.pathText("version"),
            build: try context.parameters.pathText("build"))
    }

    private static func unknown(_ build: Build) -> RequestError {
        .notFound(
            Problem(
                "build '\(build.app) \(build.version) (\(build.build))'",
                detail: "unknown, or deleted", suggestion: "see the list of builds"))
    }
}

/// The position of a build in the list, which is sorted by last upload, then by name.
private struct BuildPosition: Comparable, CustomStringConvertible {
    let time: UnixTime
    let name: String

    init(_ contents: BuildContents) {
        time = contents.lastUpload
        name = "\(contents.build.app) \(contents.build.version) \(contents.build.build)"
    }

    /// Reads ``description``.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]) else { return nil }
        self.time = UnixTime(rawValue: time)
        name = String(parts[1])
    }

    var description: String { "\(time.rawValue) \(name)" }

    static func < (left: Self, right: Self) -> Bool {
        (left.time, left.name) < (right.time, right.name)
    }

    /// - Parameter builds: All builds, in descending order.
    static func rows(
        of builds: [BuildContents], from start: ListPage<BuildContents>.Start<Self>, count: Int
    ) -> [BuildContents] {
        switch start {
        case .top: Array(builds.prefix(count))
        case .before(let position): Array(builds.drop { position <= Self($0) }.prefix(count))
        case .after(let position): Array(builds.prefix { position < Self($0) }.suffix(count))
        }
    }
}

extension BuildRow {
    init(_ contents: BuildContents) {
        self.init(
            build: contents.build, lastUpload: contents.lastUpload)
        commit = contents.commit
        images = contents.images.map { image, file in
            var row = BuildRow.Image(
                id: image.image, name: image.name, architecture: image.architecture,
                quality: file?.quality.words,
                hasLines: file?.hasLines ?? false)
            row.byteCount = file?.byteCount
            row.warnings = file?.warnings ?? []
            return row
        }
        byteCount = contents.images.compactMap(\.file).distinctByteCount
    }
}

extension [StoredDebugFile] {
    /// The total size of the files. A file with several slices belongs to several images, but is
    /// counted once.
    fileprivate var distinctByteCount: Int64 {
        Dictionary(map { ($0.blob, $0.byteCount) }) { $1 }.values.reduce(0, +)
    }
}

import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest
import Pages
import SymbolIntake

/// The page of the images that diagnostics wait for.
struct MissingPageController {
    let site: PageSite
    let archive: any DiagnosticArchive
    let catalogue: any Catalogue

    /// The number of images on one page.
    static let pageLength = 50

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/missing"), use: show)
    }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let parameters = request.queryParameters
        let app = try context.caller.app(requested: parameters.text("app"))
        let scope: MissingQuery.Scope = try parameters.choice("scope") ?? .app
        let found = try await images(of: scope, app: app, parameters, context.caller)
        var page = MissingPage(
            filter: MissingPage.Filter(
                app: parameters.text("app"), showsSystem: scope == .system),
            now: UnixTime.now())
        page.neighbours = found.neighbours(\.position.description)
        var parts = PageParts()
        switch scope {
        case .system: page.system = found.rows.map { MissingRow($0, reason: "") }
        case .app:
            page.app = try await rows(found.rows, context.caller)
            guard !found.hasNewer else { break }
            await parts.read("System images", or: ()) {
                try await addSystem(to: &page, app: app, context.caller)
            }
        }
        await addRefusals(to: &page, app: app, &parts)
        return try site.response(
            page.page(in: site.context(of: request, context, parts)), to: request)
    }

    private func images(
        of scope: MissingQuery.Scope, app: String?,
        _ parameters: FlatDictionary<Substring, Substring>, _ caller: Caller
    ) async throws -> ListPage<ListedMissingImage> {
        let start = try parameters.start(
            of: ListPage<ListedMissingImage>.self, MissingListQuery.Position.init)
        return try await ListPage(from: start, length: Self.pageLength) { start, count in
            var query = MissingListQuery(
                scope: scope, app: app, boundApp: caller.app, limit: count)
            (query.before, query.after) = (start.before, start.after)
            return try await archive.missingImages(query)
        }
    }

    /// Adds the refused uploads to the page, and to the rows of the images that they concern.
    private func addRefusals(
        to page: inout MissingPage, app: String?, _ parts: inout PageParts
    ) async {
        page.refused = await parts.read("Refused uploads", or: []) {
            try await catalogue.refusals(app: app).map(RefusedUpload.init)
        }
        for index in page.app.indices {
            page.app[index].refusal = page.refused.first { $0.isAbout(page.app[index]) }
        }
    }

    /// Adds the first system images below those of apps.
    private func addSystem(
        to page: inout MissingPage, app: String?, _ caller: Caller
    ) async throws {
        let query = MissingListQuery(
            scope: .system, app: app, boundApp: caller.app, limit: Self.pageLength + 1)
        let found = try await archive.missingImages(query)
        page.hasMoreSystem = found.count > Self.pageLength
        page.system = found.prefix(Self.pageLength).map { MissingRow($0, reason: "") }
    }

    private func rows(
        _ images: [ListedMissingImage], _ caller: Caller
    ) async throws -> [MissingRow] {
        let files = Dictionary(
            grouping: try await catalogue.debugFiles(of: images.map(\.image.image)), by: \.image)
        // A cache, because most images of a list belong to a few builds.
        var builds: [DebugFileQuery: [StoredDebugFile]] = [:]
        var rows: [MissingRow] = []
        for image in images {
            let access = caller.access(preferring: image.app)
            let file = files[image.image.image]?.first { access.includes($0.owner) }
            var row = MissingRow(image, reason: Self.reason(file))
            if file == nil, let query = row.buildQuery(access) {
                if builds[query] == nil { builds[query] = try await catalogue.debugFiles(query) }
                row.otherBuild = builds[query]?.first { $0.isNamed(row.name) }?.image
            }
            rows.append(row)
        }
        return rows
    }

    /// Why an image is missing.
    ///
    /// - Parameter file: The file that was uploaded for it, or `nil` if there is none.
    private static func reason(_ file: StoredDebugFile?) -> String {
        guard let file else { return "never uploaded" }
        return file.warnings.first ?? "the uploaded \(file.kind) has no debug information"
    }
}

extension MissingRow {
    /// A query for the debug files of the build that wants the image, or `nil` if the build is
    /// unknown.
    fileprivate func buildQuery(_ access: DebugFileAccess) -> DebugFileQuery? {
        guard name != nil, let app, let version else { return nil }
        var query = DebugFileQuery()
        query.access = access
        (query.app, query.version, query.build) = (app, version, build)
        return query
    }
}

extension StoredDebugFile {
    /// Whether the last part of the path is the image's name.
    fileprivate func isNamed(_ image: String?) -> Bool {
        name.split(separator: "/").last.map(String.init) == image
    }
}

extension MissingRow {
    init(_ listed: ListedMissingImage, reason: String) {
        self.init(listed.image, app: listed.app, reason: reason)
    }

    init(_ image: MissingImage, app: String?, reason: String) {
        let version = image.appVersions.last.map(VersionWithBuild.init)
        self.init(
            name: image.name, id: image.image, architecture: image.architecture, app: app,
            version: version?.version, build: version?.build, waiting: image.waitingCount,
            lastSeen: image.lastSeen, reason: reason)
        systems = image.systems.map { "\($0.system.name) (\($0.system.build))" }
    }
}

extension RefusedUpload {
    init(_ refusal: UploadRefusal) {
        self.init(
            name: refusal.name, reason: refusal.reason, time: refusal.time, app: refusal.app,
            version: refusal.version, build: refusal.build)
    }
}

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
        let parameters = request.uri.queryParameters
        let asked = try context.caller.app(asked: parameters.text("app"))
        let scope: MissingQuery.Scope = try parameters.choice("scope") ?? .app
        let start = try parameters.start(
            of: ListPage<ListedMissingImage>.self, MissingListQuery.Position.init)
        let found = try await ListPage(from: start, length: Self.pageLength) { start, count in
            var query = MissingListQuery(
                scope: scope, app: asked, boundApp: context.caller.app, limit: count)
            switch start {
            case .top: break
            case .before(let place): query.before = place
            case .after(let place): query.after = place
            }
            return try await archive.missingImages(query)
        }
        var page = MissingPage(
            filter: MissingPage.Filter(app: asked, showsSystem: scope == .system),
            now: UnixTime.now())
        page.neighbours = found.neighbours(\.position.description)
        switch scope {
        case .system: page.system = found.rows.map { MissingRow($0, reason: "") }
        case .app:
            for image in found.rows { page.app.append(try await row(image, context.caller)) }
            if !found.hasNewer { try await addSystem(to: &page, context.caller) }
        }
        page.refused = try await catalogue.refusals(app: context.caller.app).map(RefusedUpload.init)
        for index in page.app.indices {
            page.app[index].refusal = page.refused.first { $0.isAbout(page.app[index]) }
        }
        return try site.response(page.page(in: site.context(of: request, context)), to: request)
    }

    /// Adds the first system images below those of apps.
    private func addSystem(to page: inout MissingPage, _ caller: Caller) async throws {
        let query = MissingListQuery(
            scope: .system, app: page.filter.app, boundApp: caller.app, limit: Self.pageLength + 1)
        let found = try await archive.missingImages(query)
        page.hasMoreSystem = found.count > Self.pageLength
        page.system = found.prefix(Self.pageLength).map { MissingRow($0, reason: "") }
    }

    private func row(
        _ image: ListedMissingImage, _ caller: Caller
    ) async throws -> MissingRow {
        let access = caller.access(preferring: image.app)
        let files = try await catalogue.debugFiles(of: image.image.image).filter {
            access.includes($0.owner)
        }
        if let file = files.first {
            let problem =
                file.warnings.first ?? "the uploaded \(file.kind) has no debug information"
            return MissingRow(image, reason: problem)
        }
        var row = MissingRow(image, reason: "never uploaded")
        row.otherBuild = try await otherBuild(of: row, access)
        return row
    }

    /// Returns an uploaded image with the same name, version and build.
    private func otherBuild(
        of row: MissingRow, _ access: DebugFileAccess
    ) async throws -> ImageID? {
        guard let name = row.name, let app = row.app, let version = row.version else { return nil }
        var query = DebugFileQuery()
        query.access = access
        (query.app, query.version, query.build) = (app, version, row.build)
        return try await catalogue.debugFiles(query).first {
            $0.name.split(separator: "/").last.map(String.init) == name
        }?.image
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

/// The parts of `1.4.0 (217)`.
struct VersionWithBuild: Hashable {
    let version: String
    let build: String?

    init(_ text: String) {
        guard text.hasSuffix(")"), let start = text.lastIndex(of: "(") else {
            (version, build) = (text, nil)
            return
        }
        version = text[..<start].split(separator: " ").joined(separator: " ")
        build = String(text[text.index(after: start)...].dropLast())
    }
}

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

    /// The maximum number of apps with a section of their own.
    static let appLimit = 20

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/missing"), use: show)
    }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let asked = try context.caller.app(asked: request.uri.queryParameters.text("app"))
        var rows: [MissingRow] = []
        var listed: Set<ImageID> = []
        for app in try await apps(asked) {
            let query = MissingQuery(scope: .app, app: app, boundApp: context.caller.app)
            for image in try await archive.missingImages(query) {
                listed.insert(image.image)
                rows.append(try await row(image, of: app, context.caller))
            }
        }
        if asked == nil {
            let rest = try await archive.missingImages(
                MissingQuery(scope: .app, boundApp: context.caller.app))
            for image in rest where !listed.contains(image.image) {
                rows.append(try await row(image, of: nil, context.caller))
            }
        }
        let system = try await archive.missingImages(
            MissingQuery(scope: .system, app: asked, boundApp: context.caller.app))
        var page = MissingPage(
            app: rows, system: system.map { MissingRow($0, app: nil, reason: "") },
            now: UnixTime.now())
        page.refused = try await catalogue.refusals(app: context.caller.app).map(RefusedUpload.init)
        for index in page.app.indices {
            page.app[index].refusal = page.refused.first { $0.isAbout(page.app[index]) }
        }
        return try site.response(page.page(in: site.context(of: request, context)), to: request)
    }

    /// The apps of recent diagnostics and of builds, or the one that is asked for.
    private func apps(_ asked: String?) async throws -> [String] {
        if let asked { return [asked] }
        var apps: [String] = []
        let recent = try await archive.diagnostics(
            DiagnosticQuery(limit: DiagnosticQuery.largestLimit))
        for app in recent.compactMap(\.app) where !apps.contains(app) { apps.append(app) }
        return Array(apps.prefix(Self.appLimit))
    }

    private func row(
        _ image: MissingImage, of app: String?, _ caller: Caller
    ) async throws -> MissingRow {
        let access = caller.access(preferring: app)
        let files = try await catalogue.debugFiles(of: image.image).filter {
            access.includes($0.owner)
        }
        if let file = files.first {
            let problem =
                file.warnings.first ?? "the uploaded \(file.kind) has no debug information"
            return MissingRow(image, app: app, reason: problem)
        }
        var row = MissingRow(image, app: app, reason: "never uploaded")
        row.otherBuild = try await otherBuild(of: row, access)
        return row
    }

    /// An uploaded image of the same name, version and build.
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

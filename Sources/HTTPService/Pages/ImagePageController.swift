import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest
import Pages
import SymbolIntake

/// The page of an image: its files, its builds, and the groups that wait for it or have frames in
/// it.
struct ImagePageController {
    let site: PageSite
    let archive: any DiagnosticArchive
    let catalogue: any Catalogue
    let groups: any GroupArchive

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/images/:uuid"), use: show)
    }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let image = try imageID(try context.parameters.pathText("uuid"))
        let access = context.caller.access()
        var page = ImagePage(image, now: UnixTime.now())
        page.files = try await catalogue.debugFiles(of: image).filter {
            access.includes($0.owner)
        }.map(DebugFileRow.init)
        var builds = BuildQuery(app: context.caller.app)
        builds.image = image
        builds.includesImages = false
        page.builds = try await catalogue.builds(builds).map(\.build)
        var query = MissingQuery(boundApp: context.caller.app)
        query.image = image
        let missing = try await archive.missingImages(query).first
        let app = context.caller.app
        let groups =
            missing == nil
            ? try await groups.groups(using: image, app: app)
            : try await groups.groups(waitingFor: image, app: app)
        page.missing = missing.map {
            MissingRow($0, app: page.builds.first?.app ?? groups.first?.app, reason: "")
        }
        page.isOfSystem = missing.map { !$0.isInApp } ?? false
        page.groups = groups.map {
            GroupRow($0, redaction: site.redaction, now: page.now)
        }
        return try site.response(page.page(in: site.context(of: request, context)), to: request)
    }
}

extension DebugFileRow {
    init(_ file: StoredDebugFile) {
        self.init(
            image: file.image, name: file.name, kind: file.kind, architecture: file.architecture,
            quality: file.quality.words, owner: file.owner.app, byteCount: file.byteCount,
            upload: file.upload, warnings: file.warnings)
    }
}

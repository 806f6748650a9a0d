import CallStacks
import Hummingbird
import HummingbirdCore
import SymbolIntake

/// What is stored: debug files and builds.
struct CatalogueController {
    let catalogue: any Catalogue
    let removal: SymbolRemoval

    func addReadingRoutes(to routes: RouterGroup<CallerContext>) {
        routes.get("/v1/symbols", use: list)
        routes.get("/v1/symbols/:uuid", use: show)
        routes.get("/v1/builds", use: builds)
    }

    func addRemovingRoutes(to routes: RouterGroup<CallerContext>) {
        routes.delete("/v1/symbols/:uuid", use: remove)
        routes.delete("/v1/builds/:app/:version/:build", use: removeBuild)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws
        -> Response
    {
        let parameters = request.uri.queryParameters
        var query = DebugFileQuery()
        query.access = context.caller.access()
        query.app = parameters.text("app")
        _ = try context.caller.app(asked: query.app)
        query.version = parameters.text("version")
        query.build = parameters.text("build")
        query.image = try parameters.text("uuid").map(imageID)
        query.limit = try parameters.limit(or: query.limit)
        let files = try await catalogue.debugFiles(query)
        return try .json(SymbolList(files: files.map(DebugFileJSON.init)))
    }

    @Sendable private func show(_ request: Request, _ context: CallerContext) async throws
        -> Response
    {
        let image = try imageID(context.parameters.pathText("uuid"))
        var query = DebugFileQuery()
        query.image = image
        query.access = context.caller.access()
        let files = try await catalogue.debugFiles(query)
        guard !files.isEmpty else { throw Self.unknown(image) }
        return try .json(
            ImageJSON(uuid: image.description, files: files.map(DebugFileJSON.init)))
    }

    @Sendable private func remove(_ request: Request, _ context: CallerContext) async throws
        -> Response
    {
        let image = try imageID(context.parameters.pathText("uuid"))
        let app = try context.caller.app(asked: request.uri.queryParameters.text("app"))
        let removed = try await removal.remove(image, of: app.map(SymbolOwner.app))
        guard !removed.isEmpty else {
            throw try await reasonToKeep(image, from: context.caller)
        }
        return try .json(RemovedJSON(removed: removed.map(DebugFileJSON.init)))
    }

    /// A token that is bound to an app removes that app's files. It sees those of everyone as well, so
    /// it is told that they stay.
    private func reasonToKeep(
        _ image: ImageID, from caller: Caller
    ) async throws -> RequestError {
        let files = try await catalogue.debugFiles(of: image)
        guard let app = caller.app, files.contains(where: { $0.owner == .everyone })
        else { return Self.unknown(image) }
        return RequestError(
            .forbidden, "wrong_app",
            "image \(image): belongs to all apps, and the token to '\(app)': "
                + "use a token for all apps")
    }

    @Sendable private func builds(_ request: Request, _ context: CallerContext) async throws
        -> Response
    {
        let app = try context.caller.app(asked: request.uri.queryParameters.text("app"))
        let builds = try await catalogue.builds(app: app)
        return try .json(BuildList(builds: builds.map(BuildJSON.init)))
    }

    @Sendable private func removeBuild(_ request: Request, _ context: CallerContext) async throws
        -> Response
    {
        let app = try context.caller.app(asked: context.parameters.pathText("app"))
        let build = Build(
            app: app ?? "", version: try context.parameters.pathText("version"),
            build: try context.parameters.pathText("build"))
        guard let removed = try await removal.remove(build) else {
            throw RequestError.notFound(
                "build '\(build.app) \(build.version) (\(build.build))': is not known: "
                    + "GET /v1/builds lists all")
        }
        return try .json(RemovedJSON(removed: removed.map(DebugFileJSON.init)))
    }

    private static func unknown(_ image: ImageID) -> RequestError {
        .notFound("image \(image): nobody uploaded it: symbolist upload PATH")
    }
}

private struct SymbolList: Encodable { let files: [DebugFileJSON] }

private struct ImageJSON: Encodable {
    let uuid: String
    let files: [DebugFileJSON]
}

private struct RemovedJSON: Encodable { let removed: [DebugFileJSON] }

private struct BuildList: Encodable { let builds: [BuildJSON] }

import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest
import Problems
import SymbolIntake

/// The stored debug files and builds.
struct CatalogueController {
    let catalogue: any Catalogue
    let removal: SymbolRemoval
    let archive: any DiagnosticArchive

    func addReadRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/v1/symbols", use: list)
        routes.get("/v1/symbols/:uuid", use: show)
        routes.get("/v1/builds", use: builds)
        routes.get("/v1/systems", use: systems)
    }

    func addDeleteRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.delete("/v1/symbols/:uuid", use: remove)
        routes.delete("/v1/builds/:app/:version/:build", use: removeBuild)
        routes.delete("/v1/systems/:build", use: removeSystem)
    }

    @Sendable private func list(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        let parameters = request.queryParameters
        var query = DebugFileQuery()
        query.access = context.caller.access()
        query.app = parameters.text("app")
        _ = try context.caller.app(requested: query.app)
        query.version = parameters.text("version")
        query.build = parameters.text("build")
        query.image = try parameters.text("uuid").map(imageID)
        query.limit = try parameters.limit(default: query.limit)
        let files = try await catalogue.debugFiles(query)
        return try .json(["files": files.map(DebugFileJSON.init)])
    }

    @Sendable private func show(_ request: Request, context: HTTPRequestContext) async throws
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

    @Sendable private func remove(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        try request.requireParameters(among: "app")
        let image = try imageID(context.parameters.pathText("uuid"))
        let app = try context.caller.app(requested: request.queryParameters.text("app"))
        let removed = try await removal.remove(image, of: app.map(SymbolOwner.app))
        guard !removed.isEmpty else {
            throw try await removalError(image, from: context.caller)
        }
        return try .json(["removed": removed.map(DebugFileJSON.init)])
    }

    /// Returns the error for a removal that removed nothing. A token bound to an app removes only
    /// that app's files, but also sees files that belong to all apps, so the error says that these
    /// remain.
    private func removalError(
        _ image: ImageID, from caller: Caller
    ) async throws -> RequestError {
        let files = try await catalogue.debugFiles(of: image)
        guard let app = caller.app, files.contains(where: { $0.owner == .everyone })
        else { return Self.unknown(image) }
        return RequestError(
            .forbidden, "wrong_app",
            Problem(
                "image \(image)", detail: "belongs to all apps, but the token is for '\(app)'",
                suggestion: "use a token for all apps"))
    }

    @Sendable private func builds(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        let parameters = request.queryParameters
        let app = try context.caller.app(requested: parameters.text("app"))
        if let text = parameters.text("complete") {
            guard text == "false" else {
                throw RequestError.badRequest(
                    "bad_complete",
                    Problem(
                        "complete", detail: "'\(text)' is invalid",
                        suggestion: "use false, or leave it out"))
            }
            var query = MissingQuery(app: app, boundApp: context.caller.app)
            query.limit = try parameters.limit(default: query.limit)
            let versions = try await archive.incompleteVersions(query)
            return try .json(["builds": versions.map(IncompleteVersionJSON.init)])
        }
        let builds = try await catalogue.builds(app: app)
        return try .json(["builds": builds.map(BuildJSON.init)])
    }

    @Sendable private func removeBuild(_ request: Request, context: HTTPRequestContext)
        async throws
        -> Response
    {
        try request.requireParameters()
        let app = try context.caller.app(requested: context.parameters.pathText("app"))
        let build = Build(
            app: app ?? "", version: try context.parameters.pathText("version"),
            build: try context.parameters.pathText("build"))
        guard let removed = try await removal.remove(build) else {
            throw RequestError.notFound(
                Problem(
                    "build '\(build.app) \(build.version) (\(build.build))'", detail: "unknown",
                    suggestion: "GET /v1/builds lists all builds"))
        }
        return try .json(["removed": removed.map(DebugFileJSON.init)])
    }

    @Sendable private func systems(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        try requireAllApps(context.caller)
        let systems = try await catalogue.systems()
        return try .json(["systems": systems.map(StoredSystemJSON.init)])
    }

    @Sendable private func removeSystem(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        try requireAllApps(context.caller)
        try request.requireParameters()
        let build = try context.parameters.pathText("build")
        guard let removed = try await removal.removeSystem(build: build) else {
            throw RequestError.notFound(
                Problem(
                    "system '\(build.prefix(Self.shownBuildLimit))'",
                    detail: "no image of it is stored",
                    suggestion: "GET /v1/systems lists all systems"))
        }
        return try .json(["removed": removed.map(DebugFileJSON.init)])
    }

    private static let shownBuildLimit = 100

    /// Requires a token that is not bound to an app. System images are used for all apps, and their
    /// list reveals which devices the users of other apps have.
    private func requireAllApps(_ caller: Caller) throws(RequestError) {
        guard let app = caller.app else { return }
        throw RequestError(
            .forbidden, "wrong_app",
            Problem(
                "systems", detail: "serve all apps, and the token is for '\(app)'",
                suggestion: "use a token for all apps"))
    }

    private static func unknown(_ image: ImageID) -> RequestError {
        .notFound(
            Problem(
                "image \(image)", detail: "no symbols uploaded",
                suggestion: "run 'symbolist upload PATH'"))
    }
}

private struct ImageJSON: Encodable {
    let uuid: String
    let files: [DebugFileJSON]
}

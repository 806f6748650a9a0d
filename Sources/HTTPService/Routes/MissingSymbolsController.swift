import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore
import Ingest
import NIOCore
import Problems
import SymbolIntake

/// Lists missing symbols: images of diagnostics that were never uploaded, and the files of a build
/// that the service lacks.
struct MissingSymbolsController {
    let archive: any DiagnosticArchive
    let catalogue: any Catalogue
    let intake: UploadIntake

    /// The maximum number of UUIDs in a query.
    static let identityLimit = 10_000
    private static let bodyLimit = 1 << 20

    func addReadRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/v1/missing", use: list)
    }

    func addUploadRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post("/v1/symbols/missing", use: query)
    }

    @Sendable private func list(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        let parameters = request.queryParameters
        var query = MissingQuery()
        query.app = try context.caller.app(requested: parameters.text("app"))
        query.boundApp = context.caller.app
        query.scope = try parameters.choice("scope")
        query.limit = try parameters.limit(default: query.limit)
        let group: Grouping? = try parameters.choice("group")
        if group == .system { query.scope = .system }
        let images = try await archive.missingImages(query)
        if group == .system { return try .json(MissingSystemList(images)) }
        let showsSystems = query.scope == .system
        return try .json(
            MissingList(missing: images.map { MissingJSON($0, showsSystems: showsSystems) }))
    }

    /// Returns which of the given images are missing, so that a client uploads only those. The
    /// others are recorded as part of the build that the query names, as if they had been uploaded.
    /// With `record=false`, nothing is recorded.
    ///
    /// An app uses only its own uploads, so an image that only other apps have uploaded is missing
    /// for it.
    @Sendable private func query(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        var form = UploadParameters(request.queryParameters)
        try form.bind(to: context.caller)
        let (build, commit, system) = (try form.build, try form.commit, try form.system)
        let isRecorded = request.queryParameters.text("record") != "false"
        let query = try await Query(request.bytes(limit: Self.bodyLimit))
        let images = try query.uuids.map(imageID)
        let isForWanted = query.wanted ?? false
        if isForWanted { try checkServesAllApps(context.caller) }
        let app = context.caller.app ?? form.app
        let access = app.map(DebugFileAccess.only) ?? .everything
        var missing = Set(try await catalogue.missing(among: images, for: access))
        missing.formUnion(await intake.unusable(among: Set(images), for: access))
        if let system, isRecorded {
            try await intake.record(Set(images).subtracting(missing), ofSystem: system)
        }
        if isForWanted { missing.formIntersection(try await awaitedImages()) }
        if let build, isRecorded {
            try await intake.record(
                Set(images).subtracting(missing), in: build, commit: commit)
        }
        // Returned in the client's spelling, so that the client can match them with its own.
        let texts = zip(query.uuids, images).filter { missing.contains($0.1) }.map(\.0)
        let systems = isForWanted ? try await awaitedSystems(without: Set(images)) : nil
        return try .json(Result(missing: texts, systems: systems))
    }

    private func checkServesAllApps(_ caller: Caller) throws {
        guard let app = caller.app else { return }
        throw RequestError(
            .forbidden, "wrong_app",
            Problem(
                "wanted",
                detail: "images of systems serve all apps, and the token is for '\(app)'",
                suggestion: "use a token for all apps"))
    }

    /// Returns the systems with images that diagnostics wait for and that the client does not have.
    private func awaitedSystems(
        without images: Set<ImageID>
    ) async throws -> [MissingSystemJSON] {
        let awaited = try await archive.missingImages(MissingQuery(scope: .system))
        return MissingSystemList(awaited.filter { !images.contains($0.image) }).systems
    }

    /// The grouping of a list's rows.
    private enum Grouping: String, CaseIterable { case system }

    /// Returns the images that diagnostics wait for.
    private func awaitedImages() async throws -> Set<ImageID> {
        var images: Set<ImageID> = []
        try await archive.visitAwaitedImages { images.formUnion($0.map(\.image)) }
        return images
    }

    private struct Query: Decodable {
        let uuids: [String]
        /// Whether to return only images that diagnostics wait for.
        var wanted: Bool?

        init(_ body: [UInt8]) throws {
            guard let query = try? JSONDecoder().decode(Self.self, from: Data(body)) else {
                throw RequestError.badRequest(
                    "malformed",
                    Problem(
                        "body", detail: "not of the form {\"uuids\": [\"…\"]}",
                        suggestion: "send UUIDs as strings"))
            }
            guard query.uuids.count <= MissingSymbolsController.identityLimit else {
                throw RequestError(
                    .contentTooLarge, "too_many_uuids",
                    Problem(
                        "uuids", detail: "more than \(MissingSymbolsController.identityLimit)",
                        suggestion: "request fewer at a time"))
            }
            self = query
        }
    }

    private struct Result: Encodable {
        let missing: [String]
        /// The systems with other images that diagnostics wait for, in a query about those.
        let systems: [MissingSystemJSON]?
    }
}

private struct MissingList: Encodable { let missing: [MissingJSON] }

private struct MissingJSON: Encodable {
    let uuid: String
    @ExplicitNull var name: String?
    @ExplicitNull var arch: String?
    let scope: String
    let versions: [String]
    let diagnostics: Int
    let firstSeen: String
    let lastSeen: String
    /// The number of frames, only for system images.
    let frames: Int?
    let systems: [MissingSystemJSON]?

    /// - Parameter showsSystems: Whether the list is one of images of systems.
    init(_ image: MissingImage, showsSystems: Bool) {
        frames = showsSystems ? image.frameCount : nil
        systems = showsSystems ? image.systems.map { MissingSystemJSON($0) } : nil
        uuid = image.image.description
        name = image.name
        arch = image.architecture
        scope = (image.isInApp ? MissingQuery.Scope.app : .system).rawValue
        versions = image.appVersions
        diagnostics = image.waitingCount
        firstSeen = image.firstSeen.text
        lastSeen = image.lastSeen.text
    }
}

/// A system that images belong to.
private struct MissingSystemJSON: Encodable {
    let os: String
    let build: String
    let arch: String
    let models: [String]
    let diagnostics: Int
    /// The images of the system that diagnostics wait for, in a list of systems.
    var images: [Image]?

    struct Image: Encodable {
        let uuid: String
        @ExplicitNull var name: String?
        let diagnostics: Int
    }

    init(_ system: MissingSystem, images: [Image]? = nil) {
        os = system.system.name
        build = system.system.build
        arch = system.system.architecture
        models = system.models
        diagnostics = system.diagnosticCount
        self.images = images
    }
}

/// A row for each system, with its images that diagnostics wait for.
private struct MissingSystemList: Encodable {
    let systems: [MissingSystemJSON]

    init(_ images: [MissingImage]) {
        var systems: [MissingSystem] = []
        var members: [SystemBuild: [MissingSystemJSON.Image]] = [:]
        for image in images {
            for system in image.systems {
                members[system.system, default: []].append(
                    MissingSystemJSON.Image(
                        uuid: image.image.description, name: image.name,
                        diagnostics: system.diagnosticCount))
                if let index = systems.firstIndex(where: { $0.system == system.system }) {
                    // One diagnostic may wait for several images, so their counts cannot be added.
                    let count = max(systems[index].diagnosticCount, system.diagnosticCount)
                    systems[index].add(
                        system.models, diagnosticCount: count - systems[index].diagnosticCount)
                } else {
                    systems.append(system)
                }
            }
        }
        self.systems = systems.map { MissingSystemJSON($0, images: members[$0.system] ?? []) }
    }
}

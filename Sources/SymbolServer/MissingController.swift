import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore
import Ingest
import NIOCore
import SymbolIntake

/// What is wanted: images that diagnostics named and nobody uploaded, and which of a build's files
/// the service lacks.
struct MissingController {
    let archive: any DiagnosticArchive
    let catalogue: any Catalogue
    let intake: BundleIntake

    /// How many identities one request may ask about.
    static let identityLimit = 10_000
    private static let bodyLimit = 1 << 20

    func addReadingRoutes(to routes: RouterGroup<CallerContext>) {
        routes.get("/v1/missing", use: list)
    }

    func addUploadRoutes(to routes: RouterGroup<CallerContext>) {
        routes.post("/v1/symbols/missing", use: ask)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws
        -> Response
    {
        let parameters = request.uri.queryParameters
        var query = MissingQuery()
        query.app = try context.caller.app(asked: parameters.text("app"))
        query.boundApp = context.caller.app
        query.scope = try parameters.choice("scope")
        query.limit = try parameters.limit(or: query.limit)
        let images = try await archive.missingImages(query)
        return try .json(MissingList(missing: images.map(MissingJSON.init)))
    }

    /// A client sends only what is missing. So what it asks about and need not send is noted as part of
    /// the build that the query names, as it would be if it were sent.
    ///
    /// An app owns what it uploads, so what only other apps have is missing for it.
    @Sendable private func ask(
        _ request: Request, _ context: CallerContext
    ) async throws -> Response {
        var form = UploadForm(request.uri.queryParameters)
        try form.bind(to: context.caller)
        let build = try form.build
        let body = try await request.bytes(upTo: Self.bodyLimit)
        guard let question = try? JSONDecoder().decode(Question.self, from: Data(body)) else {
            throw RequestError.badRequest(
                "malformed", "body: is not {\"uuids\": [\"…\"]}: send the identities as texts")
        }
        guard question.uuids.count <= Self.identityLimit else {
            throw RequestError(
                .contentTooLarge, "too_many_uuids",
                "uuids: are more than \(Self.identityLimit): ask about fewer at a time")
        }
        let images = try question.uuids.map(imageID)
        let app = context.caller.app ?? form.app
        let missing = Set(
            try await catalogue.missing(
                among: images, for: app.map(SymbolAccess.only) ?? .everything))
        if let build {
            try await intake.note(Set(images).subtracting(missing), in: build)
        }
        // They come back as they were asked, so that a client finds them among its own.
        let texts = zip(question.uuids, images).filter { missing.contains($0.1) }.map(\.0)
        return try .json(Answer(missing: texts))
    }

    private struct Question: Decodable { let uuids: [String] }

    private struct Answer: Encodable { let missing: [String] }
}

private struct MissingList: Encodable { let missing: [MissingJSON] }

private struct MissingJSON: Encodable {
    let uuid: String
    @Null var name: String?
    @Null var arch: String?
    let scope: String
    let versions: [String]
    let diagnostics: Int
    let firstSeen: String
    let lastSeen: String

    init(_ image: MissingImage) {
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

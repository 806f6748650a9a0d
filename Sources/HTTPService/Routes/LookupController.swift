import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore
import JSONText
import Problems
import StackRendering
import SymbolIntake
import Symbolication

/// Looks up image offsets without adjusting them, for clients that keep their reports private.
struct LookupController {
    let symbols: StoredSymbolIndexes
    let catalogue: any Catalogue

    /// The maximum numbers of images and of offsets in a request.
    static let imageLimit = 1_000
    static let offsetLimit = 4_096
    private static let bodyLimit = 1 << 20
    /// The maximum size of a response, in bytes. A few offsets with hundreds of inlined calls each
    /// can exceed it.
    private static let responseLimit = 32 << 20

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post("/v1/lookup", use: lookUp)
    }

    @Sendable private func lookUp(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let query = try Query(try await request.bytes(limit: Self.bodyLimit))
        let app = try context.caller.app(requested: request.queryParameters.text("app"))
        let access = context.caller.access(preferring: app)
        var lookup = OffsetLookup(
            provider: symbols.provider(for: access), findsNearestLine: query.nearest ?? false)
        var json = LookupJSON(hasDetails: true)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("images")
        writer.beginArray()
        for requested in query.images {
            let image = try imageID(requested.uuid)
            let file = access.choice(among: try await catalogue.debugFiles(of: image))
            let found =
                file == nil
                ? LookedUpImage(image, .missing)
                : await lookup.lookup(of: image, at: requested.offsets.map { ImageOffset($0) })
            json.learn(names: lookup.names, files: lookup.files)
            let name = file?.name.split(separator: "/").last.map(String.init)
            json.write(found, named: name, to: &writer, limit: Self.responseLimit)
            guard writer.bytes.count <= Self.responseLimit else { throw Self.tooLarge }
        }
        writer.endArray()
        writer.endObject()
        return .json(bytes: writer.bytes)
    }

    private static let tooLarge = RequestError(
        .contentTooLarge, "answer_too_large",
        Problem(
            "response", detail: "larger than \(responseLimit) bytes",
            suggestion: "request fewer offsets at a time"))
}

extension LookupController {
    /// `{"images": [{"uuid": "…", "offsets": [16752]}], "nearest": false}`
    private struct Query: Decodable {
        struct Image: Decodable {
            let uuid: String
            let offsets: [UInt64]
        }

        let images: [Image]
        /// Whether code without a line gets the nearest line of its function, as in reports.
        let nearest: Bool?

        init(_ body: [UInt8]) throws {
            guard let query = try? JSONDecoder().decode(Self.self, from: Data(body)) else {
                throw RequestError.badRequest(
                    "malformed",
                    Problem(
                        "body",
                        detail:
                            "not of the form {\"images\": [{\"uuid\": \"…\", \"offsets\": […]}]}",
                        suggestion: "send UUIDs as strings and offsets as numbers"))
            }
            self = query
            try check("images", count: images.count, limit: imageLimit)
            try check(
                "offsets", count: images.reduce(0) { $0 + $1.offsets.count }, limit: offsetLimit)
        }

        private func check(_ subject: String, count: Int, limit: Int) throws {
            guard count <= limit else {
                throw RequestError(
                    .contentTooLarge, "too_many_\(subject)",
                    Problem(
                        subject, detail: "more than \(limit)", suggestion: "request fewer at a time"
                    ))
            }
        }
    }
}

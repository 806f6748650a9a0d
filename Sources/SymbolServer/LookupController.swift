import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore
import JSONText
import StackRendering
import SymbolIntake
import Symbolication

/// Offsets of images, looked up exactly as given: for clients that keep their reports to themselves.
struct LookupController {
    let symbols: StoredSymbols
    let catalogue: any Catalogue

    /// How many images one request may ask about, and how many offsets in all.
    static let imageLimit = 1_000
    static let offsetLimit = 4_096
    private static let bodyLimit = 1 << 20
    /// The longest answer, in bytes: a few offsets with hundreds of inlined calls each may pass it.
    private static let answerLimit = 32 << 20

    func addRoutes(to routes: RouterGroup<CallerContext>) {
        routes.post("/v1/lookup", use: lookUp)
    }

    @Sendable private func lookUp(
        _ request: Request, _ context: CallerContext
    ) async throws -> Response {
        let question = try Question(try await request.bytes(upTo: Self.bodyLimit))
        let app = try context.caller.app(asked: request.uri.queryParameters.text("app"))
        let access = context.caller.access(preferring: app)
        var lookup = ExactLookup(
            provider: symbols.seen(by: access), fillsGaps: question.nearest ?? false)
        var json = LookupJSON(tellsAll: true)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("images")
        writer.beginArray()
        for asked in question.images {
            let image = try imageID(asked.uuid)
            let file = access.choice(among: try await catalogue.debugFiles(of: image))
            let found =
                file == nil
                ? ImageLookup(image, .missing)
                : await lookup.lookup(of: image, at: asked.offsets.map { ImageOffset($0) })
            json.learn(names: lookup.names, files: lookup.files)
            let name = file?.name.split(separator: "/").last.map(String.init)
            json.write(found, named: name, to: &writer, limit: Self.answerLimit)
            guard writer.bytes.count <= Self.answerLimit else { throw Self.tooLong }
        }
        writer.endArray()
        writer.endObject()
        return .json(bytes: writer.bytes)
    }

    private static let tooLong = RequestError(
        .contentTooLarge, "answer_too_large",
        "answer: is longer than \(answerLimit) bytes: ask for fewer offsets at a time")
}

extension LookupController {
    /// `{"images": [{"uuid": "…", "offsets": [16752]}], "nearest": false}`
    private struct Question: Decodable {
        struct Image: Decodable {
            let uuid: String
            let offsets: [UInt64]
        }

        let images: [Image]
        /// Whether code without a line gets the nearest one of its function, as in reports.
        let nearest: Bool?

        init(_ body: [UInt8]) throws {
            guard let question = try? JSONDecoder().decode(Self.self, from: Data(body)) else {
                throw RequestError.badRequest(
                    "malformed",
                    "body: is not {\"images\": [{\"uuid\": \"…\", \"offsets\": […]}]}: "
                        + "send identities as texts and offsets as numbers")
            }
            self = question
            try check("images", images.count, limit: imageLimit)
            try check(
                "offsets", images.reduce(0) { $0 + $1.offsets.count }, limit: offsetLimit)
        }

        private func check(_ what: String, _ count: Int, limit: Int) throws {
            guard count <= limit else {
                throw RequestError(
                    .contentTooLarge, "too_many_\(what)",
                    "\(what): are more than \(limit): ask about fewer at a time")
            }
        }
    }
}

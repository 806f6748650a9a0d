public import CallStacks
import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Synchronization
import TestSupport

/// An in-memory server with the contract's symbol endpoints, on a local port.
public final class ContractServer: Sendable {
    /// One request to an endpoint.
    public struct Request: Sendable {
        public var method: String
        public var path: String
        public var query: [String: String]
        public var authorization: String?
        public var byteCount = 0
        /// The images of the slices in an uploaded body.
        public var images: [ImageID] = []
        /// The names of the files in an uploaded archive.
        public var fileNames: [String] = []
        /// The body of a lookup request.
        public var question = ""
    }

    /// A response that replaces the correct one.
    public struct ScriptedResponse: Sendable {
        public var status: Int
        public var headers: [String: String]
        public var message: String

        public init(_ status: Int, headers: [String: String] = [:], message: String = "disturbed") {
            self.status = status
            self.headers = headers
            self.message = message
        }
    }

    /// The server's data and behaviour.
    public struct State: Sendable {
        /// The images with symbols.
        public var images: Set<ImageID> = []
        /// The images that diagnostics wait for.
        public var wantedImages: Set<ImageID> = []
        /// The JSON array of systems that diagnostics wait for.
        public var awaitedSystems = "[]"
        /// The next responses by path, in order; `nil` is the correct response.
        public var scriptedResponses: [String: [ScriptedResponse?]] = [:]
        /// The number of polls for which uploads are reported as stored rather than indexed.
        public var pollsUntilIndexed = 0
        /// The warning with which every upload is accepted, if any.
        public var warning: String?
        /// The reason for which every upload is rejected, if any.
        public var rejection: String?
        /// The lookup results by image; other images are missing.
        public var lookups: [ImageID: String] = [:]
        /// The number of lookup requests before the symbols are available.
        public var lookupsUntilAvailable = 0
        /// The files that it serves as a debuginfod server, by path.
        public var debugFiles: [String: [UInt8]] = [:]
        /// The responses to `GET`, by path.
        public var lists: [String: String] = [:]
        public fileprivate(set) var requests: [Request] = []
    }

    let state = Mutex(State())

    public init() {}

    /// Runs the server while `body` works with it.
    public func serve(_ body: @Sendable (String) async throws -> Void) async throws {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router(),
            server: HTTPServerBuilder { HandledChannel(HTTP1Channel(responder: $0)) },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                continuation.yield(channel.localAddress?.port ?? 0)
                continuation.finish()
            },
            logger: Logger(label: "contract") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: ServerThread()) { try await application.run() }
            for await port in ports { try await body("http://127.0.0.1:\(port)") }
            group.cancelAll()
        }
    }

    /// Changes the server's data or behaviour.
    public func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Sets the images with symbols.
    public var images: Set<ImageID> { state.withLock { $0.images } }

    /// The requests for a path so far, in order.
    public func requests(_ method: String, _ path: String) -> [Request] {
        state.withLock { state in
            state.requests.filter { $0.method == method && $0.path == path }
        }
    }

    public var allRequests: [Request] { state.withLock { $0.requests } }

    private func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.post("/v1/symbols/missing") { request, _ in
            try await self.answer(request) { body, _ in try self.missing(body) }
        }
        router.post("/v1/symbols") { request, _ in
            try await self.answer(request) { body, noted in
                (noted.images, noted.fileNames) = try uploadedFiles(in: body)
                return self.upload(noted.images)
            }
        }
        router.post("/v1/lookup") { request, _ in
            try await self.answer(request) { body, noted in
                noted.question = String(decoding: body, as: UTF8.self)
                return try self.lookUp(body)
            }
        }
        router.get("/buildid/{id}/debuginfo") { request, _ in
            try await self.answer(request) { _, noted in self.debugFile(noted.path) }
        }
        router.get("/v1/symbols") { request, _ in
            try await self.answer(request) { _, noted in self.slices(noted.query["uuid"]) }
        }
        for path in ["/v1/missing", "/v1/builds", "/v1/systems"] {
            router.get(RouterPath(path)) { request, _ in
                try await self.answer(request) { _, noted in self.list(noted.path) }
            }
        }
        router.delete("/v1/symbols/{uuid}") { request, _ in
            try await self.answer(request) { _, noted in self.remove(noted.path) }
        }
        router.delete("/v1/builds/{app}/{version}/{build}") { request, _ in
            try await self.answer(request) { _, _ in Reply(.ok, "{}") }
        }
        router.delete("/v1/systems/{build}") { request, _ in
            try await self.answer(request) { _, noted in self.removeSystem(noted.path) }
        }
        return router
    }

    struct Reply {
        var status: HTTPResponse.Status
        var body: ByteBuffer

        init(_ status: HTTPResponse.Status, _ json: String) {
            self.init(status, ByteBuffer(string: json))
        }

        init(_ status: HTTPResponse.Status, _ body: ByteBuffer) {
            self.status = status
            self.body = body
        }
    }

    private func answer(
        _ request: Hummingbird.Request,
        _ body: (_ bytes: [UInt8], _ noted: inout Request) throws -> Reply
    ) async throws -> Response {
        var noted = Request(
            method: request.method.rawValue, path: request.uri.path,
            query: Dictionary(
                request.uri.queryParameters.map { (String($0), String($1)) },
                uniquingKeysWith: { first, _ in first }),
            authorization: request.headers[.authorization])
        let disturbance = state.withLock { state -> ScriptedResponse? in
            guard let first = state.scriptedResponses[noted.path]?.first else { return nil }
            state.scriptedResponses[noted.path]?.removeFirst()
            return first
        }
        // Like servers that respond before reading a body they reject.
        if let disturbance {
            note(noted)
            return response(disturbance)
        }
        let buffer = try await request.body.collect(upTo: 1 << 30)
        noted.byteCount = buffer.readableBytes
        let reply = try body(Array(buffer.readableBytesView), &noted)
        note(noted)
        return Response(
            status: reply.status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: reply.body))
    }

    private func note(_ request: Request) { state.withLock { $0.requests.append(request) } }

    private func response(_ disturbance: ScriptedResponse) -> Response {
        var headers = HTTPFields()
        for (name, value) in disturbance.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let json = #"{"error": {"code": "disturbed", "message": "\#(disturbance.message)"}}"#
        return Response(
            status: .init(code: disturbance.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(string: json)))
    }
}

import CallStacks
import HTTPTypes
import Hummingbird
import HummingbirdCore
import MozillaSymbolication
import NIOCore
import Problems
import SymbolIntake

/// Mozilla's symbolication API, which Firefox Profiler and samply use, and Breakpad symbol files.
struct MozillaController {
    let symbols: StoredSymbolIndexes
    let downloads: DebugFileDownloads
    let bodyLimit: Int
    let memory: RequestMemoryBudget

    /// The paths that web pages of other sites may use.
    static let pagePaths: Set<String> = ["/symbolicate/v5", "/symbolicate/v4"]

    static func servesFile(at path: String) -> Bool { path.hasSuffix(fileEnding) }

    private static let fileEnding = ".sym"

    /// Adds the preflight requests of browsers, which have no token.
    func addOpenRoutes(to routes: Router<HTTPRequestContext>) {
        for path in Self.pagePaths {
            routes.on(RouterPath(path), method: .options, use: preflight)
        }
    }

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post("/symbolicate/v5") { request, context in
            try await symbolicate(request, context: context) { results, query in
                try results.version5(query, hasCounts: request.headers[.debug] != nil)
            }
        }
        routes.post("/symbolicate/v4") { request, context in
            try await symbolicate(request, context: context) { results, query in
                try results.version4(query)
            }
        }
        routes.get("/:name/:id/:file", use: sendFile)
    }

    /// ``CrossOriginSharingMiddleware`` adds the headers.
    @Sendable private func preflight(_: Request, _: HTTPRequestContext) -> Response {
        Response(status: .noContent)
    }

    /// Symbolicates a request. The content type is ignored, because clients send various ones.
    private func symbolicate(
        _ request: Request, context: HTTPRequestContext,
        _ text: (SymbolicationResults, SymbolicationQuery) throws -> [UInt8]
    ) async throws -> Response {
        try await request.withBytes(limit: bodyLimit, memory: memory) { body in
            let query = try SymbolicationQuery(body)
            let results = try await SymbolicationResults(
                for: query, in: symbols, for: context.caller.access())
            return .json(bytes: try text(results, query))
        }
    }

    /// `{"title", "detail"}`
    static func response(of error: RequestError) throws -> Response {
        try .json(ErrorReply(title: error.description, detail: error.code), status: error.status)
    }

    private struct ErrorReply: Encodable {
        let title: String
        let detail: String
    }
}

extension MozillaController {
    @Sendable private func sendFile(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        // Other paths with three components are unknown.
        guard Self.servesFile(at: request.uri.path) else { throw HTTPError(.notFound) }
        guard let id = DebugID(try context.parameters.pathText("id")),
            let text = try await BreakpadFiles(symbols, downloads: downloads)
                .text(of: id, for: context.caller.access())
        else { throw RequestError.notFound(Problem("symbol file", detail: "not found")) }
        let slot = try await downloads.limiter.slot()
        var headers: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
        if request.method == .head {
            // Without the length, the response to HEAD would claim that the file is empty.
            headers[.contentLength] = "\(try await Self.byteCount(of: text))"
        }
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(slot) {} }
                var text = text
                while let piece = try text.next() {
                    try await writer.write(ByteBuffer(bytes: piece))
                }
                try await writer.finish(nil)
            })
    }

    /// Returns the size of a symbol file, which is known only once its text was generated.
    private static func byteCount(of text: BreakpadText) async throws -> Int {
        var text = text
        var count = 0
        while let piece = try text.next() {
            count += piece.count
            try Task.checkCancellation()
            await Task.yield()
        }
        return count
    }
}

extension HTTPField.Name {
    /// Requests counts in addition to the results.
    fileprivate static let debug = Self("Debug")!
}

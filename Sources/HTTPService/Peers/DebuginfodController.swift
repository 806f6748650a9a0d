import CallStacks
import DebuginfodServer
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Problems
import SymbolIntake

/// The requests of debuginfod clients: files and sections of ELF images by build ID.
///
/// Sources are never served, because a debug file may name any path.
struct DebuginfodController {
    let downloads: DebugFileDownloads
    let catalogue: any Catalogue
    let sender: FileSender

    private static let metadataPath = "/metadata"
    private static let prefix = "/buildid/"

    static func serves(_ path: String) -> Bool {
        path.hasPrefix(prefix) || path == metadataPath
    }

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/buildid/:id/debuginfo") { try await send(.debuginfo, to: $0, context: $1) }
        routes.get("/buildid/:id/executable") { try await send(.executable, to: $0, context: $1) }
        routes.get("/buildid/:id/section/:name", use: sendSection)
        routes.get("/buildid/:id/source/**", use: refuseSource)
        routes.get("/metadata", use: search)
    }

    private func send(
        _ kind: DebuginfodFiles.Kind, to request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let image = try imageID(context.parameters.pathText("id"))
        guard let file = try await files(for: context).file(kind, of: image) else {
            throw RequestError.notFound(
                Problem("\(kind.rawValue) of build ID \(image.hex)", detail: "not found"))
        }
        return try await response(to: request, with: .file(file), part: 0..<file.byteCount)
    }

    @Sendable private func sendSection(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let image = try imageID(context.parameters.pathText("id"))
        let name = try context.parameters.pathText("name")
        guard let section = try await files(for: context).section(name, of: image) else {
            throw RequestError.notFound(
                Problem("section of build ID \(image.hex)", detail: "not found"))
        }
        return try await response(
            to: request, with: .content(section.content), part: section.range)
    }

    @Sendable private func refuseSource(_: Request, _: HTTPRequestContext) throws -> Response {
        throw RequestError.notFound(
            Problem("source", detail: "not found", suggestion: "this service has no source files"))
    }

    @Sendable private func search(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let key = try DebuginfodMetadata.Key(request.queryParameters)
        let metadata = DebuginfodMetadata(catalogue, for: context.caller.access())
        return .json(bytes: try await metadata.search(key))
    }

    private func files(for context: HTTPRequestContext) -> DebuginfodFiles {
        DebuginfodFiles(downloads, for: context.caller.access())
    }

    private func response(
        to request: Request, with source: FileSender.Source, part: Range<Int64>
    ) async throws -> Response {
        if let limit = request.headers[.debuginfodMaximumSize].flatMap({ Int64($0) }), limit > 0,
            part.count > limit
        {
            throw RequestError(
                .notAcceptable, "file_too_large",
                Problem("file", detail: "\(part.count) bytes, larger than X-DEBUGINFOD-MAXSIZE"))
        }
        return try await sender.response(
            to: request, with: source, part: part,
            [
                .debuginfodSize: "\(part.count)",
                .debuginfodFile: source.file.headerName,
            ])
    }
}

extension DebuginfodMetadata.Key {
    fileprivate init(_ query: FlatDictionary<Substring, Substring>) throws {
        guard let value = query.text("value"),
            value.utf8.count <= DebuginfodMetadata.valueLimit
        else {
            throw RequestError.badRequest(
                "bad_value",
                Problem(
                    "value",
                    detail: "missing or longer than \(DebuginfodMetadata.valueLimit) bytes",
                    suggestion: "send one"))
        }
        switch query.text("key") {
        case "file": self = .file(value)
        case "glob": self = .glob(value)
        case "buildid": self = .buildID(try imageID(value))
        case let key:
            throw RequestError.badRequest(
                "bad_key",
                Problem(
                    "key", detail: "'\(key ?? "")' is unknown",
                    suggestion: "use file, glob or buildid"))
        }
    }
}

extension StoredDebugFile {
    /// The file's name without folders, in characters that a header may contain.
    fileprivate var headerName: String {
        let last = name.split(separator: "/").last ?? ""
        let shown = last.unicodeScalars.map { (" "..."~").contains($0) ? $0 : "_" }
        return String(String.UnicodeScalarView(shown))
    }
}

extension HTTPField.Name {
    fileprivate static let debuginfodSize = Self("X-DEBUGINFOD-SIZE")!
    fileprivate static let debuginfodFile = Self("X-DEBUGINFOD-FILE")!
    fileprivate static let debuginfodMaximumSize = Self("X-DEBUGINFOD-MAXSIZE")!
}

import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore
import Problems
import SymbolIntake
import SymbolicatorAPI

/// Stored debug files as a symbol source of Sentry: by path in several layouts, or by identity.
struct SymbolSourceController {
    let symbols: StoredSymbolIndexes
    let downloads: DebugFileDownloads
    let sender: FileSender

    private static let filePrefix = "/debug-files/"
    private static let searchPath = "/sentry-source"

    static func serves(_ path: String) -> Bool {
        path.hasPrefix(filePrefix) || path.hasPrefix(searchPath)
    }

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/debug-files/**", use: sendFile)
        routes.get("/sentry-source", use: search)
    }

    @Sendable private func sendFile(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let path = request.uri.path.dropFirst(Self.filePrefix.count).split(separator: "/")
            .map { $0.removingPercentEncoding ?? String($0) }
        guard let layout = SourceLayout(path: path) else { throw Self.notFound }
        let file = try await downloads.file(of: layout.image, for: context.caller.access()) {
            switch layout.kind {
            case .debugInformation: $0.hasDebugInformation
            case .code: $0.containsCode
            }
        }
        return try await response(to: request, file: file)
    }

    /// Lists the files of an identity, or sends the file with an `id` from a list.
    @Sendable private func search(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let query = request.queryParameters
        let access = context.caller.access()
        if let id = query.text("id") {
            let parts = id.split(separator: ".").map(String.init)
            guard parts.count == 2, let image = ImageID(parts[0]) else { throw Self.notFound }
            let file = try await downloads.file(of: image, for: access) { $0.blob == parts[1] }
            return try await response(to: request, file: file)
        }
        guard let image = try await image(query, access: access) else {
            return try .json([Listed]())
        }
        var listed: [Listed] = []
        for isWanted in [\StoredDebugFile.hasDebugInformation, \.containsCode] {
            let file = try await downloads.file(of: image, for: access) { $0[keyPath: isWanted] }
            if let file, !listed.contains(where: { $0.id == Listed(file).id }) {
                listed.append(Listed(file))
            }
        }
        // The keys are those of the protocol, so they are not converted.
        return .json(bytes: [UInt8](try JSONEncoder().encode(listed)))
    }

    private func image(
        _ query: FlatDictionary<Substring, Substring>, access: DebugFileAccess
    ) async throws -> ImageID? {
        if let code = query.text("code_id").flatMap({ ImageID($0) }),
            await symbols.contains(code, for: access)
        {
            return code
        }
        guard let id = query.text("debug_id").flatMap({ DebugID($0) }) else { return nil }
        return try await symbols.image(with: id, for: access)
    }

    private func response(
        to request: Request, file: StoredDebugFile?
    ) async throws -> Response {
        guard let file else { throw Self.notFound }
        return try await sender.response(to: request, with: .file(file))
    }

    private static let notFound = RequestError.notFound(Problem("file", detail: "not found"))

    /// `{"id", "symbolType"}`
    private struct Listed: Encodable {
        let id: String
        let symbolType: String

        init(_ file: StoredDebugFile) {
            id = "\(file.image.hex).\(file.blob)"
            symbolType = file.isELF ? "elf" : "macho"
        }
    }
}

import CallStacks
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Problems
import SentryProtocol
import SymbolIntake

/// Handles uploads by `sentry-cli debug-files upload`: chunks, which are then assembled into files.
///
/// The project is the app. The organization is ignored.
struct SentryController {
    let uploads: ChunkedUploads
    /// The maximum size of an upload, in bytes.
    let bundleLimit: Int64
    let receiver: UploadReceiver
    let limiter: UploadLimiter
    let memory: RequestMemoryBudget

    /// The prefix of all paths whose errors have this protocol's form.
    private static let root = "/api/0"
    private static let organizationPath = "\(root)/organizations/:organization/chunk-upload"
    private static let projectPath =
        "\(root)/projects/:organization/:project/files/difs/assemble"
    /// The maximum size of a request with chunks, in bytes.
    static let requestBytesLimit = Int64(
        ChunkUploadOptions.requestBytesLimit + ChunkUploadOptions.framingBytesLimit)
    private static let nameLimit = 128
    /// The header with the version and build of an upload.
    private static let buildHeader = HTTPField.Name("X-Build")
    /// The retry delay when there is no space for more chunks, in seconds.
    private static let roomSeconds = 30

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("\(Self.root)", use: info)
        routes.get("\(Self.organizationPath)", use: options)
        routes.post("\(Self.organizationPath)", use: receive)
        routes.post("\(Self.projectPath)", use: assemble)
    }

    static func isOwn(_ path: String) -> Bool { path == root || path.hasPrefix("\(root)/") }

    /// Whether a request uploads chunks, which has no timeout as long as data keeps arriving.
    @Sendable static func isUpload(_ head: HTTPRequest) -> Bool {
        guard head.method == .post, let path = head.path, path.hasPrefix("\(root)/organizations/")
        else { return false }
        return path.split(separator: "/").count == 5 && path.contains("/chunk-upload")
    }

    @Sendable private func info(_ request: Request, context: HTTPRequestContext) throws
        -> Response
    { try .camelCaseJSON(TokenInfo()) }

    @Sendable private func options(_ request: Request, context: HTTPRequestContext) throws
        -> Response
    {
        try .camelCaseJSON(
            ChunkUploadOptions(
                organization: try name("organization", in: context),
                chunkSize: ChunkStore.chunkBytesLimit, maxFileSize: fileBytesLimit))
    }

    @Sendable private func receive(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        _ = try name("organization", in: context)
        let reservation = try limiter.acquire()
        defer { limiter.release(reservation) }
        let sender = ChunkSender(app: context.caller.app)
        var form = ChunkForm(store: uploads.chunks, sender: sender, byteLimit: chunkSpaceLimit)
        do {
            try await receiver.events(
                of: request,
                reserve: { try limiter.add($0, to: reservation) }
            ) { try form.receive($0) }
            try await uploads.chunks.share(form.received, from: sender, limit: chunkSpaceLimit)
        } catch {
            form.discard()
            throw Self.requestError(error)
        }
        return try .camelCaseJSON([String: String]())
    }

    @Sendable private func assemble(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        _ = try name("organization", in: context)
        let project = try name("project", in: context)
        let app = try context.caller.app(requested: project) ?? project
        let options = UploadOptions(
            owner: .app(app), build: try build(of: app, named: request.headers))
        let files: [String: AssembleRequest.File]
        do {
            files = try await request.withBytes(limit: AssembleRequest.byteLimit, memory: memory) {
                try AssembleRequest($0).files
            }
        } catch let error as AssembleRequestError {
            throw RequestError.badRequest("malformed", Problem(error))
        }
        let sender = ChunkSender(app: context.caller.app)
        var replies: [String: AssembleReply] = [:]
        for (key, file) in files {
            let state = try await state(of: file.content, from: sender, options: options)
            if state == .assembling { context.outcome.recordChange() }
            replies[key] = AssembleReply(
                state, checksum: file.content.checksum, debugID: file.debugID)
        }
        return try .camelCaseJSON(replies)
    }

    private func state(
        of file: ChunkedFile, from sender: ChunkSender, options: UploadOptions
    ) async throws -> ChunkedFileState {
        let most = fileBytesLimit / Int64(ChunkStore.chunkBytesLimit) + 1
        guard file.chunks.count <= most else {
            return .rejected("larger than \(fileBytesLimit) bytes, the limit")
        }
        return try await uploads.state(of: file, from: sender, options: options)
    }

    /// The maximum size of a file, in bytes.
    private var fileBytesLimit: Int64 { min(bundleLimit, uploads.fileBytesLimit) }

    /// The limit of all chunks on disk, in bytes: twice the largest upload, as for uploads in
    /// progress.
    private var chunkSpaceLimit: Int64 {
        let (bytes, isTooMuch) = bundleLimit.multipliedReportingOverflow(by: 2)
        return isTooMuch ? .max : bytes
    }

    /// Returns the build in a header, which users set with sentry-cli's `--header`.
    private func build(of app: String, named headers: HTTPFields) throws -> Build? {
        guard let header = Self.buildHeader, let text = headers[header] else { return nil }
        guard let plus = text.lastIndex(of: "+"), plus != text.startIndex,
            case let number = text[plus...].dropFirst(), !number.isEmpty
        else {
            throw RequestError.badRequest(
                "bad_build",
                Problem(
                    "X-Build", detail: "'\(text.prefix(100))' is invalid",
                    suggestion: "use VERSION+BUILD"))
        }
        return Build(app: app, version: String(text[..<plus]), build: String(number))
    }

    private func name(_ parameter: String, in context: HTTPRequestContext) throws -> String {
        let text = try context.parameters.pathText(parameter)
        let isPlain = text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
                || $0 == "." || $0 == "_" || $0 == "-"
        }
        guard isPlain, 1...Self.nameLimit ~= text.utf8.count else {
            throw RequestError.badRequest(
                "bad_\(parameter)",
                Problem(
                    "\(parameter)", detail: "'\(text.prefix(Self.nameLimit))' is invalid",
                    suggestion: "use at most \(Self.nameLimit) letters, digits, '.', '_' and '-'"))
        }
        return text
    }

    private static func requestError(_ error: any Error) -> any Error {
        guard let error = error as? ChunkError else { return error }
        switch error {
        case .tooLarge(let limit): return RequestError.tooLarge("chunk", limit: limit)
        case .truncated:
            return RequestError.badRequest(
                "bad_compression",
                Problem("chunk", detail: "truncated gzip data", suggestion: "send the whole chunk"))
        case .wrongChecksum(let checksum, let actual):
            return RequestError.badRequest(
                "wrong_checksum",
                Problem(
                    "chunk \(checksum.text)", detail: "the content has checksum \(actual.text)",
                    suggestion: "send it again"))
        case .noRoom(let limit):
            return RequestError.unavailable(
                Problem(
                    "chunks", detail: "those of unfinished files use \(limit) bytes, the limit",
                    suggestion: "send again later"),
                retryAfter: roomSeconds)
        }
    }
}

import AsyncHTTPClient
public import CallStacks
import DebugFiles
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
public import Problems
import SymbolStores

/// Requests debug files from debuginfod servers, by build ID.
///
/// A server that hangs costs a minute at most: after some failures it gets no requests for a while.
public actor DebuginfodClient {
    private let settings: DebuginfodSettings
    private let folder: DebuginfodCache
    private let now: @Sendable () -> ContinuousClock.Instant
    private var failures: [String: RecentFailures] = [:]
    /// The failures of servers, without duplicates.
    public private(set) var problems: [Problem] = []

    private static let redirectLimit = 5

    public init(
        _ settings: DebuginfodSettings, keepingIn folder: DebuginfodCache,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.settings = settings
        self.folder = folder
        self.now = now
    }

    /// Returns the path of an image's debug file, or `nil` if no server has one.
    ///
    /// Only GNU build IDs are sent, because no server has Apple's images.
    ///
    /// - Parameter isBuildID: Whether the identity is known to be a build ID. If not, it is sent
    ///   unless it has the form of a UUID.
    public func file(of image: ImageID, isBuildID: Bool = false) async -> String? {
        guard isBuildID || !image.isUUID else { return nil }
        if let known = folder.file(of: image) { return known }
        let urls = settings.urls.filter { isAsked($0) && !folder.isMissed(image, at: $0) }
        guard !urls.isEmpty else { return nil }
        let client = makeClient()
        let file = await firstFile(of: image, from: urls, client: client)
        try? await client.shutdown()
        return file
    }

    /// Returns the path of the supplementary file of `dwz` that a debug file refers to, or `nil` if it
    /// refers to none or no server has it.
    func supplement(ofFileAt path: String) async -> String? {
        guard let bytes = try? MappedFile.bytes(of: path),
            let file = try? DebugFile.slices(of: bytes, name: path).files.first,
            let id = file.supplementLink?.id
        else { return nil }
        return await self.file(of: id, isBuildID: true)
    }

    private func makeClient() -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .follow(max: Self.redirectLimit, allowCycles: false),
            timeout: .init(
                connect: .seconds(Int64(DebuginfodSettings.connectSeconds)),
                read: .seconds(Int64(settings.silenceSeconds))))
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Requests the file from all servers at once, and returns the first one received.
    private func firstFile(
        of image: ImageID, from urls: [String], client: HTTPClient
    ) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            for url in urls {
                group.addTask { await self.file(of: image, from: url, client: client) }
            }
            for await file in group {
                guard let file else { continue }
                group.cancelAll()
                return file
            }
            return nil
        }
    }

    private func isAsked(_ url: String) -> Bool {
        failures[url]?.admitsRequest(at: now()) ?? true
    }

    private func file(
        of image: ImageID, from url: String, client: HTTPClient
    ) async -> String? {
        do {
            let download = Download(
                image: image, url: url, settings: settings, folder: folder, client: client)
            return try await download.run()
        } catch {
            // A cancelled request means that another server was faster.
            if !Task.isCancelled { record(error, url: url) }
            return nil
        }
    }

    private func record(_ error: any Error, url: String) {
        failures[url, default: RecentFailures()].record(at: now())
        let problem = Problem(
            url, detail: (error as? DebuginfodError)?.detail ?? "does not respond",
            suggestion: "check DEBUGINFOD_URLS and the network")
        if !problems.contains(problem) { problems.append(problem) }
    }
}

extension ImageID {
    /// Whether the identity has the length, the variant and a version of a UUID (RFC 9562, 4.1), as
    /// every `LC_UUID` has. A build ID that is a UUID has them too, and one in twenty of those that
    /// are an MD5.
    fileprivate var isUUID: Bool {
        guard hasUUIDLength else { return false }
        let bytes = bytes
        return bytes[8] >> 6 == 0b10 && (1...8).contains(bytes[6] >> 4)
    }
}

/// The reason why a request failed. A file that the server does not have is not a failure.
enum DebuginfodError: Error {
    case status(Int)
    /// The file cannot be written to this folder.
    case notStored(folder: String)
    /// The limit in bytes.
    case tooLarge(limit: Int64)
    case otherImage(wanted: ImageID)

    var detail: String {
        switch self {
        case .status(let code): "returned \(code)"
        case .notStored(let folder): "cannot be stored in \(folder)"
        case .tooLarge(let limit): "sent more than \(limit) bytes"
        case .otherImage(let wanted): "sent a file of another image than \(wanted)"
        }
    }
}

/// The download of one file from one server.
private struct Download {
    let image: ImageID
    let url: String
    let settings: DebuginfodSettings
    let folder: DebuginfodCache
    let client: HTTPClient

    /// - Returns: The path, or `nil` if the server does not have the file, or only a larger one.
    func run() async throws -> String? {
        var request = HTTPClientRequest(url: "\(url)/buildid/\(image.hex)/debuginfo")
        request.headers.add(name: "User-Agent", value: "symbolist")
        request.headers.add(name: "X-DEBUGINFOD-MAXSIZE", value: "\(settings.bytesLimit)")
        for (name, value) in settings.headers { request.headers.add(name: name, value: value) }
        let response = try await client.execute(
            request, timeout: .seconds(Int64(settings.downloadSeconds)))
        switch response.status.code {
        case 200: return try await file(from: response.body)
        case 404:
            folder.recordMiss(of: image, at: url)
            return nil
        case 406: return nil
        default: throw DebuginfodError.status(Int(response.status.code))
        }
    }

    private func file(from body: HTTPClientResponse.Body) async throws -> String? {
        let draft = try folder.draft(of: image)
        defer { unlink(draft) }
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw DebuginfodError.notStored(folder: folder.path) }
        defer { close(file) }
        var count: Int64 = 0
        for try await piece in body {
            count += Int64(piece.readableBytes)
            guard count <= settings.bytesLimit
            else { throw DebuginfodError.tooLarge(limit: settings.bytesLimit) }
            try write(piece.readableBytesView, to: file)
        }
        guard isOfImage(draft) else {
            throw DebuginfodError.otherImage(wanted: image)
        }
        return folder.keep(draft, of: image)
    }

    private func write(_ bytes: ByteBufferView, to file: Int32) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(file, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DebuginfodError.notStored(folder: folder.path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether the file belongs to the requested image; a server may be wrong, or hostile.
    private func isOfImage(_ path: String) -> Bool {
        guard let bytes = try? MappedFile.bytes(of: path) else { return false }
        return (try? DebugFile.identities(of: bytes, name: url)) == [image]
    }

    private func unlink(_ path: String) { _ = unsafe Glibc.unlink(path) }
}

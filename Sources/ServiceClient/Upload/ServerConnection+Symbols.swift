public import CallStacks
public import JSONText
import NIOHTTP1
import PercentEncoding
import Problems

extension ServerConnection {
    /// The maximum number of identities in one request.
    static let questionLimit = 1_000

    /// Returns the given images for which the server has no debug information.
    ///
    /// - Parameters:
    ///   - build: The build of the images.
    ///   - commit: The commit that the build was made from, or `nil` if it is not stated.
    ///   - isRecorded: Whether the server adds those that it already has to the build, as if they
    ///     had been sent.
    func missing(
        among images: [ImageID], of build: Build, commit: SourceCommit? = nil, isRecorded: Bool
    ) async throws -> Set<ImageID> {
        let query =
            build.query(commit: commit) + (isRecorded ? [] : [(name: "record", value: "false")])
        var missing: Set<ImageID> = []
        for start in stride(from: 0, to: images.count, by: Self.questionLimit) {
            let asked = images[start..<min(start + Self.questionLimit, images.count)]
            let response = try await self.missing(of: asked, query: query)
            missing.formUnion(response.images)
        }
        return missing
    }

    /// Returns the given images that the server lacks, with one request.
    ///
    /// - Parameters:
    ///   - query: The build or system of the images.
    ///   - isWanted: Whether to return only images with frames in stored diagnostics.
    func missing(
        of images: ArraySlice<ImageID>, query: [(name: String, value: String)],
        isWanted: Bool = false
    ) async throws -> MissingImageResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("uuids")
        writer.beginArray()
        for image in images { writer.string(image.description) }
        writer.endArray()
        if isWanted {
            writer.key("wanted")
            writer.bool(true)
        }
        writer.endObject()
        let response = try await send(
            ServerRequest(
                method: .POST, path: "/v1/symbols/missing", query: query,
                body: .json(writer.bytes)))
        let root = JSONDocument(response).root
        guard let list = root?["missing"]?.elements else {
            throw notOfSymbolist("/v1/symbols/missing")
        }
        return MissingImageResponse(
            images: Set(list.compactMap { $0.string.flatMap { ImageID($0) } }),
            awaitedSystems: root?["systems"]?.elements.map(AwaitedSystem.init) ?? [])
    }

    /// Sends one debug file of a build.
    ///
    /// - Parameters:
    ///   - commit: The commit that the build was made from, or `nil` if it is not stated.
    ///   - replaces: Whether it replaces the app's own files even if it is not better.
    /// - Returns: The result for each slice of the file.
    func upload(
        _ file: CompressedCopy, named name: String, of build: Build,
        commit: SourceCommit?, replacing replaces: Bool = false,
        onProgress: @escaping @Sendable (Int) -> Void
    ) async throws -> [StoredSlice] {
        try await upload(
            file,
            query: build.query(commit: commit) + [(name: "name", value: name)]
                + (replaces ? [(name: "replace", value: "true")] : []), onProgress: onProgress)
    }

    func upload(
        _ file: CompressedCopy, query: [(name: String, value: String)],
        onProgress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> [StoredSlice] {
        let response = try await send(
            ServerRequest(
                method: .POST, path: "/v1/symbols", query: query, body: .file(file),
                onProgress: onProgress))
        return try slices(in: response)
    }

    /// Returns the stored slices of an image.
    func slices(of image: ImageID) async throws -> [StoredSlice] {
        let response = try await send(
            ServerRequest(
                method: .GET, path: "/v1/symbols",
                query: [(name: "uuid", value: image.description)]))
        return try slices(in: response)
    }

    /// Whether the server has debug files of an image.
    public func hasSymbols(of image: ImageID) async throws -> Bool {
        try await !slices(of: image).isEmpty
    }

    private func slices(in response: [UInt8]) throws -> [StoredSlice] {
        guard let list = JSONDocument(response).root?["files"]?.elements
        else { throw notOfSymbolist("/v1/symbols") }
        return list.map(StoredSlice.init)
    }

    /// Returns a list from the server: `/v1/symbols`, `/v1/missing` or `/v1/builds`.
    ///
    /// - Parameter query: The query items; those that are `nil` are omitted.
    public func list(
        _ path: String, query: KeyValuePairs<String, String?> = [:]
    ) async throws -> JSONDocument {
        let pairs = query.compactMap { name, value in value.map { (name: name, value: $0) } }
        let response = try await send(ServerRequest(method: .GET, path: path, query: pairs))
        let document = JSONDocument(response)
        guard document.failure == nil, document.root?.kind == .object
        else { throw notOfSymbolist(path) }
        return document
    }

    /// Removes an image's debug files.
    ///
    /// - Returns: Whether the image had any.
    public func remove(_ image: ImageID) async throws -> Bool {
        try await remove("/v1/symbols/\(image.description)")
    }

    /// Removes a build, and the debug files that belong to no other build.
    ///
    /// - Returns: Whether the build existed.
    public func remove(_ build: Build) async throws -> Bool {
        let parts = [build.app, build.version, build.build].map { $0.percentEncoded() }
        return try await remove("/v1/builds/" + parts.joined(separator: "/"))
    }

    /// Removes a system, and the images that belong to no other one.
    ///
    /// - Parameter build: The system's build, such as `22B83`.
    /// - Returns: Whether an image of it was stored.
    public func removeSystem(build: String) async throws -> Bool {
        try await remove("/v1/systems/" + build.percentEncoded())
    }

    private func remove(_ path: String) async throws -> Bool {
        do {
            _ = try await send(ServerRequest(method: .DELETE, path: path))
            return true
        } catch let error as ServerRequestError where error.kind == .failed(status: 404) {
            return false
        }
    }

    func notOfSymbolist(_ path: String) -> ServerRequestError {
        ServerRequestError(
            .unreachable,
            problem: Problem(
                "\(address)\(path)", detail: "is not a Symbolist service",
                suggestion: "check --server"))
    }
}

extension Build {
    fileprivate func query(commit: SourceCommit?) -> [(name: String, value: String)] {
        let parts = [
            (name: "app", value: app), (name: "version", value: version),
            (name: "build", value: build),
        ]
        return parts + (commit.map { [(name: "commit", value: $0.description)] } ?? [])
    }
}

/// The server's response to a query about images.
struct MissingImageResponse {
    /// The images that it lacks.
    var images: Set<ImageID> = []
    /// The systems with other images that diagnostics wait for, if the query was about those.
    var awaitedSystems: [AwaitedSystem] = []
}

/// The server's result for one slice.
struct StoredSlice: Sendable {
    /// The identity, or `nil` if the slice has none.
    var image: ImageID?
    var status: String
    var reason: String?
    /// The quality of its symbols, or `nil` if the server does not state it.
    var quality: String?

    init(_ json: JSONValue) {
        image = json["uuid"]?.string.flatMap { ImageID($0) }
        status = json["status"]?.string ?? ""
        reason = json["reason"]?.string
        quality = json["quality"]?.string
    }
}

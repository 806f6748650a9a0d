public import CallStacks
public import JSONText
import NIOHTTP1

extension ServerConnection {
    /// How many identities one question holds.
    static let questionLimit = 1_000

    /// Of these, the ones that the server has no debug information of.
    ///
    /// - Parameter build: What they belong to. The server notes so of those that it has, as it would if
    ///   they were sent.
    func missing(
        among images: [ImageID], of build: Build? = nil
    ) async throws -> Set<ImageID> {
        var missing: Set<ImageID> = []
        for start in stride(from: 0, to: images.count, by: Self.questionLimit) {
            let asked = images[start..<min(start + Self.questionLimit, images.count)]
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("uuids")
            writer.beginArray()
            for image in asked { writer.string(image.description) }
            writer.endArray()
            writer.endObject()
            let answer = try await send(
                ServerRequest(
                    method: .POST, path: "/v1/symbols/missing", query: build?.query ?? [],
                    body: .json(writer.bytes)))
            guard let list = JSONDocument(answer).root?["missing"]?.elements else {
                throw notOfSymbolist("/v1/symbols/missing")
            }
            missing.formUnion(list.compactMap { $0.string.flatMap { ImageID($0) } })
        }
        return missing
    }

    /// Sends one debug file of a build.
    ///
    /// - Parameter replaces: Whether it takes the place of the app's own files even if it is no better.
    /// - Returns: What became of each slice in it.
    func upload(
        _ file: PackedFile, named name: String, of build: Build, replacing replaces: Bool = false,
        onProgress: @escaping @Sendable (Int) -> Void
    ) async throws -> [StoredSlice] {
        let answer = try await send(
            ServerRequest(
                method: .POST, path: "/v1/symbols",
                query: build.query + [(name: "name", value: name)]
                    + (replaces ? [(name: "replace", value: "true")] : []),
                body: .file(file), onProgress: onProgress))
        return try slices(in: answer)
    }

    /// What is stored of an image.
    func slices(of image: ImageID) async throws -> [StoredSlice] {
        let answer = try await send(
            ServerRequest(
                method: .GET, path: "/v1/symbols",
                query: [(name: "uuid", value: image.description)]))
        return try slices(in: answer)
    }

    private func slices(in answer: [UInt8]) throws -> [StoredSlice] {
        guard let list = JSONDocument(answer).root?["files"]?.elements
        else { throw notOfSymbolist("/v1/symbols") }
        return list.map(StoredSlice.init)
    }

    /// A list that the server keeps: `/v1/symbols`, `/v1/missing` or `/v1/builds`.
    ///
    /// - Parameter query: Values that are `nil` take no part.
    public func list(
        _ path: String, _ query: KeyValuePairs<String, String?> = [:]
    ) async throws -> JSONDocument {
        let pairs = query.compactMap { name, value in value.map { (name: name, value: $0) } }
        let answer = try await send(ServerRequest(method: .GET, path: path, query: pairs))
        let document = JSONDocument(answer)
        guard document.failure == nil, document.root?.kind == .object
        else { throw notOfSymbolist(path) }
        return document
    }

    /// Removes an image's debug files.
    ///
    /// - Returns: Whether there were any.
    public func remove(_ image: ImageID) async throws -> Bool {
        try await remove("/v1/symbols/\(image.description)")
    }

    /// Removes a build, and the debug files that no other build has.
    ///
    /// - Returns: Whether there was such a build.
    public func remove(_ build: Build) async throws -> Bool {
        let parts = [build.app, build.version, build.build].map(ServerAddress.escaped)
        return try await remove("/v1/builds/" + parts.joined(separator: "/"))
    }

    private func remove(_ path: String) async throws -> Bool {
        do {
            _ = try await send(ServerRequest(method: .DELETE, path: path))
            return true
        } catch let error as ServerError where error.kind == .failed(status: 404) {
            return false
        }
    }

    func notOfSymbolist(_ path: String) -> ServerError {
        ServerError(
            .unreachable, "\(address)\(path): the answer is not one of Symbolist: check --server")
    }
}

extension Build {
    fileprivate var query: [(name: String, value: String)] {
        [
            (name: "app", value: app), (name: "version", value: version),
            (name: "build", value: build),
        ]
    }
}

/// What a server says of one slice.
struct StoredSlice: Sendable {
    /// `nil` where it has no identity.
    var image: ImageID?
    var status: String
    var reason: String?

    init(_ json: JSONValue) {
        image = json["uuid"]?.string.flatMap { ImageID($0) }
        status = json["status"]?.string ?? ""
        reason = json["reason"]?.string
    }
}

/// The reply that tells `sentry-cli` how to upload.
public struct ChunkUploadOptions: Encodable, Sendable {
    let url: String
    let chunkSize: Int
    let chunksPerRequest: Int
    let maxRequestSize: Int
    let maxFileSize: Int64
    let maxWait: Int
    let concurrency: Int
    let hashAlgorithm = "sha1"
    let compression = ["gzip"]
    /// All kinds, because clients skip those that are not listed, and some fail. The reply to an
    /// upload says what is not stored.
    let accept = [
        "debug_files", "release_files", "pdbs", "portablepdbs", "sources", "bcsymbolmaps", "il2cpp",
    ]

    /// The maximum number of chunks in one request.
    public static let chunkLimit = 64
    /// The maximum size of the chunks of one request, in bytes, before compression.
    public static let requestBytesLimit = 32 << 20
    /// The maximum size of a form's headers, in addition to its chunks, in bytes.
    public static let framingBytesLimit = 1 << 20
    /// The longest time that clients wait for a file to be processed, in seconds.
    private static let waitSeconds = 300
    private static let requestCount = 4

    /// - Parameters:
    ///   - organization: The name in the request's path, repeated in the reply.
    ///   - chunkSize: The size of every chunk but the last of a file, in bytes.
    ///   - maxFileSize: The maximum size of a file. A single larger file makes the client abandon
    ///     the whole upload.
    public init(organization: String, chunkSize: Int, maxFileSize: Int64) {
        // Relative, because only the client knows the address by which it reaches the service.
        url = "/api/0/organizations/\(organization)/chunk-upload/"
        self.chunkSize = chunkSize
        self.maxFileSize = maxFileSize
        chunksPerRequest = Self.chunkLimit
        maxRequestSize = Self.requestBytesLimit
        maxWait = Self.waitSeconds
        concurrency = Self.requestCount
    }
}

/// The reply to `sentry-cli info`: what the token may do.
public struct TokenInfo: Encodable, Sendable {
    struct Authorization: Encodable { let scopes = ["project:write"] }

    let version = "0"
    let auth = Authorization()
    /// Always `null`, because tokens do not belong to people.
    let user: String? = nil

    private enum CodingKeys: CodingKey { case version, auth, user }

    public init() {}

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(version, forKey: .version)
        try members.encode(auth, forKey: .auth)
        try members.encodeNil(forKey: .user)
    }
}

/// The database and the bucket that several nodes share, and this node's part.
public struct ClusterConfiguration: Sendable {
    public struct Database: Sendable {
        public var url: Secret
        public var passwordFile: String?
        public var connectionCount: Int
        /// Whether the service may migrate the database when it starts.
        public var migratesAtStart: Bool
    }

    public struct Blobs: Hashable, Sendable {
        public var url: String
        /// The URL of a server other than AWS.
        public var endpoint: String?
        public var region: String?
        /// Whether the bucket is part of the path, or `nil` for the default of the server.
        public var isPathStyle: Bool?
        public var accessKeyID: String?
        public var secretKeyFile: String?
        public var partBytes: Int64
        public var timeout: Duration
        /// The time for which unreferenced objects are kept.
        public var grace: Duration
    }

    /// The limits of objects with archived entries.
    public struct Archive: Hashable, Sendable {
        public var bytes: Int64
        public var delay: Duration
        public var lagBytes: Int64
    }

    public var database: Database
    public var blobs: Blobs
    public var archive: Archive
    /// The size limit of indexes in the data folder.
    public var cacheBytes: Int64
    /// The longest time that a diagnostic waits for an index that is not in the data folder.
    public var cacheWait: Duration
    /// The node's name, or `nil` for its host name.
    public var nodeName: String?
    /// The time after which a node loses its lane unless it renews its lease.
    public var lease: Duration
    /// The size limit of the queues of all nodes together.
    public var queueBytes: Int64
    /// The time for which duplicates of a posted payload are recognised.
    public var payloadKeyAge: Duration
    /// The time for which entries wait for a first exporter.
    public var unsentAge: Duration
    /// A digest of the settings that must be equal on all nodes.
    public var settingsFingerprint: [UInt8]
}

extension ClusterConfiguration {
    /// - Parameter problems: Conflicts between settings are appended to it.
    /// - Returns: `nil` unless both the database and the bucket are set.
    init?(_ reader: SettingReader, problems: inout [SettingProblem]) {
        guard let url = reader.text("database.url"), let blobs = Blobs(reader) else {
            problems += Self.halves(reader)
            return nil
        }
        database = Database(
            url: Secret(url), passwordFile: reader.text("database.password_file"),
            connectionCount: reader.number("database.connections"),
            migratesAtStart: reader.text("database.migrate") == "auto")
        self.blobs = blobs
        cacheBytes = reader.bytes("cache.bytes")
        cacheWait = reader.duration("cache.wait")
        nodeName = reader.text("cluster.node")
        lease = reader.duration("cluster.lease")
        queueBytes = reader.bytes("cluster.queue_bytes")
        archive = Archive(
            bytes: reader.bytes("archive.bytes"), delay: reader.duration("archive.delay"),
            lagBytes: reader.bytes("archive.lag_bytes"))
        payloadKeyAge = reader.duration("retention.payload_keys")
        unsentAge = reader.duration("retention.diagnostics_age")
        settingsFingerprint = reader.sharedFingerprint
        problems += accessKeyProblems(reader)
    }

    /// Returns the problem of a database without a bucket, or of a bucket without a database.
    private static func halves(_ reader: SettingReader) -> [SettingProblem] {
        let keys = ["database.url", "blobs.url"]
        guard let given = keys.first(where: { reader.text($0) != nil }),
            let other = keys.first(where: { $0 != given })
        else { return [] }
        return [
            reader.problem(
                given, "is set without \(other)",
                suggestion: "set both for several nodes, or neither for one machine")
        ]
    }

    /// Returns the problem of an access key without its secret, or the reverse.
    private func accessKeyProblems(_ reader: SettingReader) -> [SettingProblem] {
        guard (blobs.accessKeyID == nil) != (blobs.secretKeyFile == nil) else { return [] }
        let keys = ["blobs.access_key_id", "blobs.secret_key_file"]
        return [
            reader.problem(
                blobs.accessKeyID == nil ? keys[1] : keys[0], "is set alone",
                suggestion: "set both \(keys[0]) and \(keys[1])")
        ]
    }
}

extension ClusterConfiguration.Blobs {
    fileprivate init?(_ reader: SettingReader) {
        guard let url = reader.text("blobs.url") else { return nil }
        self.url = url
        endpoint = reader.text("blobs.endpoint")
        region = reader.text("blobs.region")
        isPathStyle = reader.text("blobs.path_style").flatMap(Bool.init(settingText:))
        accessKeyID = reader.text("blobs.access_key_id")
        secretKeyFile = reader.text("blobs.secret_key_file")
        partBytes = reader.bytes("blobs.part_bytes")
        timeout = reader.duration("blobs.timeout")
        grace = reader.duration("blobs.grace")
    }
}

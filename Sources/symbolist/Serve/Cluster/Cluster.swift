import Foundation
import Ingest
import Logging
import Metrics
import ObjectStorage
import PostgreSQL
import ServerConfiguration
import SharedDatabase
import SharedStorage
import SymbolIntake

/// The database and the bucket that this node shares with others.
struct Cluster: Sendable {
    let node: ClusterNode
    /// The hosts and the name of the database, for the log.
    let databaseName: String
    let database: SharedDatabase
    let lanes: Lanes
    let lease: Duration
    let blobs: BlobBucket
    let indexes: IndexBucket
    let files: FileBucket
    let entries: EntryBucket
    let archiveLimits: ArchiveLimits
    let sweep: ObjectSweep
    let queueLimit: ClusterQueueLimit
    let unreadableLanes = UnreadableLanes()
    /// The time for which entries wait for a first exporter.
    let unsentAge: Duration
    private let payloadKeyAge: Duration
    private let bucket: Bucket

    /// Connects to the database, and creates or migrates its tables.
    init(_ configuration: ClusterConfiguration, logger: Logger) async throws {
        lease = configuration.lease
        node = ClusterNode(
            name: configuration.nodeName ?? ProcessInfo.processInfo.hostName,
            version: Symbolist.release, settingsFingerprint: configuration.settingsFingerprint)
        bucket = try Bucket(configuration.blobs)
        let address = try ConnectionSettings(
            url: configuration.database.url.value,
            passwordFile: configuration.database.passwordFile)
        databaseName = address.displayName
        database = try await SharedDatabase(
            address,
            limits: PoolLimits(connections: configuration.database.connectionCount),
            migrates: configuration.database.migratesAtStart)
        lanes = Lanes(of: database, for: node, lease: configuration.lease)
        blobs = BlobBucket(bucket, database: database, grace: configuration.blobs.grace)
        indexes = IndexBucket(bucket, database: database, node: node)
        files = FileBucket(bucket, database: database, node: node)
        entries = EntryBucket(bucket, logger: logger)
        archiveLimits = ArchiveLimits(
            bytes: configuration.archive.bytes, delay: configuration.archive.delay,
            lagBytes: configuration.archive.lagBytes)
        queueLimit = ClusterQueueLimit(bytes: configuration.queueBytes)
        payloadKeyAge = configuration.payloadKeyAge
        unsentAge = configuration.unsentAge
        sweep = ObjectSweep(
            bucket, database: database, node: node, grace: configuration.blobs.grace,
            logger: logger)
    }

    /// Checks that the bucket answers.
    func checkBucket() async throws {
        for try await _ in bucket.objects(under: "", pageLimit: 1) { break }
    }

    /// The options of the journals of the node's lanes.
    var laneOptions: LaneOptions {
        var options = LaneOptions()
        options.archive = entries
        options.queueLimit = queueLimit
        options.payloadKeyAge = payloadKeyAge
        return options
    }

    /// Returns the service that archives the entries of a lane.
    func archiving(_ journal: LaneJournal, isAdopted: Bool = false, logger: Logger) -> Archiving {
        Archiving(
            writer: ArchiveWriter(of: journal, in: entries, limits: archiveLimits),
            lane: journal.claim.lane, isAdopted: isAdopted, logger: logger)
    }

    /// Closes all connections.
    func close() async {
        await database.close()
        await bucket.close()
    }
}

extension Bucket {
    fileprivate convenience init(_ settings: ClusterConfiguration.Blobs) throws {
        let environment = ProcessInfo.processInfo.environment
        var own = BucketSettings()
        own.partBytes = settings.partBytes
        own.silence = settings.timeout
        self.init(
            try ObjectLocation(
                url: settings.url, endpoint: settings.endpoint, region: settings.region,
                isPathStyle: settings.isPathStyle, environment: environment),
            settings: own,
            credentials: CredentialSettings(
                accessKeyID: settings.accessKeyID, secretFile: settings.secretKeyFile,
                environment: environment),
            observer: recordRequest)
    }
}

private func recordRequest(_ method: String, _ duration: Duration, _ isSuccessful: Bool) {
    let outcome = isSuccessful ? "ok" : "failed"
    Metrics.Timer(
        label: "symbolist_object_seconds", dimensions: [("method", method), ("outcome", outcome)]
    ).recordSeconds(duration / .seconds(1))
}

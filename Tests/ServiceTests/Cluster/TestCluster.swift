import Foundation
import NIOHTTP1
import ObjectStorageSupport
import PostgreSQL
import PostgreSQLSupport
import TestSupport
import Testing

@testable import ObjectStorage

/// Nodes on one database and one bucket, which export to one backend.
final class TestCluster: Sendable {
    let database: TestServer
    let backend: Backend
    let sites: [Site]
    /// The settings of commands on the database and the bucket.
    let environment: [String: String]
    /// The URL of the bucket's server.
    let storageEndpoint: String
    /// The name of the database.
    let name = "nodes_\(UInt64.random(in: .min ... .max))"

    /// How long a lane stays with a node that is not heard of.
    static let lease = Duration.seconds(5)

    /// - Parameters:
    ///   - count: The number of nodes, which are not started yet.
    ///   - server: The server of the database, or `nil` for the one that clusters share.
    ///   - refuses: Whether the backend refuses a request body for good.
    init(
        nodes count: Int, database server: TestServer? = nil,
        refusing refuses: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
    ) async throws {
        let database = try server ?? TestServer.shared
        try database.makeDatabase(name)
        let backend = try Backend(refusing: refuses)
        let storage = try await Self.bucketSettings()
        self.database = database
        self.backend = backend
        storageEndpoint = storage["BLOBS_ENDPOINT"] ?? ""
        let url = database.url(database: name)
        let exporter = Site.exporter(0, url: backend.url, name: "backend0")
        let shared = storage.merging(["DATABASE_URL": url]) { $1 }
        environment = Dictionary(
            uniqueKeysWithValues: shared.merging(exporter) { $1 }.map {
                ("SYMBOLIST_\($0.key)", $0.value)
            })
        sites = try (1...count).map { number in
            let own = [
                "DATABASE_URL": url, "DATABASE_CONNECTIONS": "6", "CLUSTER_NODE": "node\(number)",
                "CLUSTER_LEASE": "5s",
            ]
            return try Site(
                exports: [backend.url], settings: own.merging(storage, uniquingKeysWith: { $1 }))
        }
        try await backend.start()
    }

    /// The URL of the database through a proxy that understands its protocol without encryption.
    func url(through port: Int) -> String {
        "postgres://symbolist@127.0.0.1:\(port)/\(name)?sslmode=disable&gssencmode=disable"
    }

    /// The URL of the database on a primary and its replicas.
    func url(on servers: [TestServer]) -> String {
        let hosts = servers.map { server in
            "\(server.folder.path.replacing("/", with: "%2F")):\(server.port)"
        }
        return "postgres://symbolist@\(hosts.joined(separator: ","))/\(name)"
    }

    /// Writes the configuration of commands on the database and the bucket.
    ///
    /// - Returns: The path of the file.
    func configurationFile(in folder: TestFolder) throws -> String {
        func value(_ name: String) -> String { environment["SYMBOLIST_\(name)"] ?? "" }
        let text = """
            database:
              url: \(value("DATABASE_URL"))
            blobs:
              url: \(value("BLOBS_URL"))
              endpoint: \(value("BLOBS_ENDPOINT"))
              access_key_id: \(value("BLOBS_ACCESS_KEY_ID"))
              secret_key_file: \(value("BLOBS_SECRET_KEY_FILE"))

            """
        let path = folder.path("symbolist.yaml")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    func end() async {
        await backend.stop()
        try? database.removeDatabase(name)
    }

    /// Executes a statement in the database, and returns the first number of its result.
    @discardableResult
    func run(_ text: String) async throws -> Int64? {
        let pool = try ConnectionPool(
            try ConnectionSettings(url: database.url(database: name)),
            limits: PoolLimits(connections: 2))
        do {
            let number = try await pool.transact([try Statement(text)]).last?.first?
                .optional(0, .int8)
            await pool.close()
            return number
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Runs `body` while the database makes appends to all lanes wait.
    func whileAppendsWait<Value: Sendable>(
        _ body: () async throws -> Value
    ) async throws -> Value {
        let pool = try ConnectionPool(
            try ConnectionSettings(url: database.url(database: name)),
            limits: PoolLimits(connections: 2))
        do {
            let options = TransactionOptions(timeLimit: .seconds(300), retries: 0)
            let value = try await pool.withTransaction(options) { transaction in
                _ = try await transaction.execute(
                    try Statement("LOCK TABLE entry IN SHARE MODE"))
                return try await body()
            }
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Returns the settings of a new location in the bucket of the tests.
    private static func bucketSettings() async throws -> [String: String] {
        let server = try await RealServer.shared { try await makeBucket(at: $0) }
        let secret = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-secret-\(UUID().uuidString)")
        try Data(RealServer.secret.utf8).write(to: secret)
        return [
            "BLOBS_URL": "s3://\(RealServer.bucket)/\(UUID().uuidString)",
            "BLOBS_ENDPOINT": server.endpoint, "BLOBS_ACCESS_KEY_ID": RealServer.accessKeyID,
            "BLOBS_SECRET_KEY_FILE": secret.path,
        ]
    }

    private static func makeBucket(at endpoint: String) async throws {
        let credentials = CredentialSettings(environment: [
            "AWS_ACCESS_KEY_ID": RealServer.accessKeyID,
            "AWS_SECRET_ACCESS_KEY": RealServer.secret,
        ])
        let bucket = Bucket(
            try ObjectLocation(url: "s3://\(RealServer.bucket)/ready", endpoint: endpoint),
            credentials: credentials)
        _ = try? await bucket.send(StorageRequest(.PUT))
        try await bucket.upload([1], as: try #require(ObjectKey("ready")))
        await bucket.close()
    }

    /// Returns the lanes of all nodes and without a node, as a node knows them.
    func lanes(from site: Site) async throws -> [[String: Any]] {
        let status = try await site.client.get("/v1/nodes").object()
        let nodes = status["nodes"] as? [[String: Any]] ?? []
        let left = status["lanes_without_node"] as? [[String: Any]] ?? []
        return nodes.flatMap { $0["lanes"] as? [[String: Any]] ?? [] } + left
    }

    /// The number of requests that wait in any lane.
    func waitingCount(from site: Site) async throws -> Int {
        try await lanes(from: site).reduce(0) { $0 + ($1["waiting_requests"] as? Int ?? 0) }
    }
}

public import Ingest
public import PostgreSQL
public import PostgreSQLSupport
public import SharedDatabase

/// A database for the nodes of one test, removed with the value.
public final class TestCluster: Sendable {
    /// The server of all clusters that have none of their own. Making and removing databases slows
    /// others down.
    private static let sharedServer = Result { try TestServer() }

    public let server: TestServer
    public let name: String

    /// - Parameter server: The server, or `nil` for the one that clusters share.
    public init(on server: TestServer? = nil) throws {
        self.server = try server ?? Self.sharedServer.get()
        name = "cluster_\(UInt64.random(in: .min ... .max))"
        try self.server.makeDatabase(name)
    }

    deinit { try? server.removeDatabase(name) }

    public var url: String { server.url(database: name) }

    /// Connects as a node would.
    public func open(
        connections: Int = 3, through pooler: TestPooler? = nil, migrates: Bool = true
    ) async throws -> SharedDatabase {
        try await SharedDatabase(
            try ConnectionSettings(url: pooler?.url(database: name) ?? url),
            limits: PoolLimits(connections: connections, acquisition: .seconds(300)),
            migrates: migrates)
    }

    /// Executes a statement on a connection of its own.
    @discardableResult
    public func run(_ text: String, _ parameters: [Parameter] = []) async throws -> QueryResult {
        let pool = try ConnectionPool(
            try ConnectionSettings(url: url),
            limits: PoolLimits(connections: 2, acquisition: .seconds(300)))
        do {
            let results = try await pool.transact([try Statement(text, parameters)])
            await pool.close()
            return results.last ?? QueryResult()
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Runs `body` with a node's connection, and closes it.
    public func withNode(_ body: (TestNode) async throws -> Void) async throws {
        let node = TestNode(in: try await open())
        do {
            try await body(node)
        } catch {
            await node.database.close()
            throw error
        }
        await node.database.close()
    }

    /// Ends the leases of all lanes, as if their nodes had not been heard of for long.
    public func expireLeases() async throws {
        try await run("UPDATE lane SET until = now() - interval '1 second'")
    }
}

/// A node of a cluster.
public struct TestNode: Sendable {
    public let database: SharedDatabase
    public let node: ClusterNode
    public let lanes: Lanes

    /// - Parameter lease: So long that it ends in no test by itself.
    public init(in database: SharedDatabase, lease: Duration = .seconds(3_600)) {
        self.database = database
        node = ClusterNode(name: "test")
        lanes = Lanes(of: database, for: node, lease: lease)
    }

    /// Claims a lane.
    ///
    /// - Parameter archive: The archived entries, or `nil` if there is no bucket.
    public func journal(archive: (any EntryArchive)? = nil) async throws -> LaneJournal {
        var options = LaneOptions()
        options.archive = archive
        return LaneJournal(
            of: try await lanes.claim(), in: database, options: options,
            outcomeLimit: .seconds(300), appendLimit: .seconds(300))
    }
}

extension Lanes {
    /// Claims a lane as a node without exporters.
    public func claim() async throws(JournalError) -> LaneClaim {
        try await claim(finishing: [JournalReaders.worker])
    }
}

import EmbeddedDatabase
import Foundation
import Ingest
import JournalSupport
import SharedDatabase
import SymbolIntake
import Testing

/// A kind of database that the tests of this target run with.
enum DatabaseKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case embedded, shared

    var testDescription: String { rawValue }
}

/// A database of one test, which can be closed and opened again.
protocol PortDatabase: Sendable {
    var journal: any PortJournal { get }
    var catalogue: any Catalogue { get }
    var archives: any PortArchives { get }
    /// Closes the database, and opens it again.
    ///
    /// - Parameter isReleased: Whether a node gives up its lane, rather than letting the lease expire.
    func reopened(afterRelease isReleased: Bool) async throws -> any PortDatabase
    /// Removes entries that every reader has passed, or some of them.
    func removePassed() async throws
    func close() async throws
}

/// Runs `body` with a new database, and closes it.
func withDatabase(
    _ kind: DatabaseKind, _ body: (any PortDatabase) async throws -> Void
) async throws {
    let database = try await openDatabase(kind)
    try await body(database)
    try await database.close()
}

/// Makes a database and opens it.
func openDatabase(_ kind: DatabaseKind) async throws -> any PortDatabase {
    switch kind {
    case .embedded: try OpenFolder(folder: DataFolder())
    case .shared: try await OpenCluster(cluster: TestCluster())
    }
}

/// Runs `body` with a new journal, and closes it.
func withJournal(
    _ kind: DatabaseKind, _ body: (any PortJournal) async throws -> Void
) async throws {
    try await withDatabase(kind) { try await body($0.journal) }
}

/// Runs `body` with a new journal, its archive and the catalogue, and closes them.
func withArchive(
    _ kind: DatabaseKind, _ body: (any PortJournal, any Catalogue) async throws -> Void
) async throws {
    try await withDatabase(kind) { try await body($0.journal, $0.catalogue) }
}

/// Runs `body` with a new catalogue, and closes it.
func withCatalogue(
    _ kind: DatabaseKind, _ body: (any Catalogue) async throws -> Void
) async throws {
    try await withDatabase(kind) { try await body($0.catalogue) }
}

/// A data folder, removed with the value.
private final class DataFolder: Sendable {
    let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("symbolist-\(UUID().uuidString)").path

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

private struct OpenFolder: PortDatabase {
    private let folder: DataFolder
    private let database: EmbeddedDatabase

    init(folder: DataFolder) throws {
        self.folder = folder
        database = try EmbeddedDatabase(folder: folder.path)
    }

    var journal: any PortJournal { database }
    var catalogue: any Catalogue { database }
    var archives: any PortArchives { database }

    func reopened(afterRelease _: Bool) async throws -> any PortDatabase {
        try await database.close()
        return try OpenFolder(folder: folder)
    }

    func removePassed() async throws { _ = try await database.removePassed(count: 9_999) }

    func close() async throws { try await database.close() }
}

private struct OpenCluster: PortDatabase {
    private let cluster: TestCluster
    private let node: TestNode
    private let lane: LaneJournal

    init(cluster: TestCluster) async throws {
        self.cluster = cluster
        node = TestNode(in: try await cluster.open())
        lane = try await node.journal()
    }

    var journal: any PortJournal { lane }
    var catalogue: any Catalogue { node.database }
    var archives: any PortArchives { node.database }

    func reopened(afterRelease isReleased: Bool) async throws -> any PortDatabase {
        if isReleased { try await node.lanes.release(lane.claim) }
        await node.database.close()
        try await cluster.expireLeases()
        return try await OpenCluster(cluster: cluster)
    }

    func removePassed() async throws {
        let partitions = EntryPartitions(of: node.database, limits: PartitionLimits(age: .zero))
        _ = try await partitions.advance()
        _ = try await node.lanes.renew([lane.claim], finishing: [])
        _ = try await partitions.removeOldest()
    }

    func close() async throws { await node.database.close() }
}

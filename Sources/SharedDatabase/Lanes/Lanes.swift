import Decompression
public import Ingest
import PostgreSQL
import Problems

/// Assigns lanes to nodes.
///
/// A node claims a lane when it starts, and appends only there. A claim has a lease, which is
/// renewed periodically. Only the database's clock decides whether it has expired. The lane of a
/// node that died is adopted: its entries are delivered, and then it is released.
public final class Lanes: Sendable {
    let database: SharedDatabase
    let node: ClusterNode
    let lease: Duration
    public let clock: ClusterClock

    /// - Parameter lease: The time after which a node loses its lane unless it renews its lease.
    public init(
        of database: SharedDatabase, for node: ClusterNode, lease: Duration = .seconds(15),
        clock: ClusterClock? = nil
    ) {
        self.database = database
        self.node = node
        self.lease = lease
        self.clock = clock ?? ClusterClock(lease: lease)
    }

    /// Claims the lane that the node appends to: preferably a free one with entries that its
    /// readers may take over or have not finished, otherwise the free one with the lowest number,
    /// otherwise a new one.
    ///
    /// Lanes with entries that this version cannot read are left to nodes of later versions,
    /// because entries appended after those would have to wait for them.
    ///
    /// - Parameter readers: The readers of this node: the worker and its exporters.
    /// - Throws: `JournalError` if the database fails, or if all lanes belong to other nodes and no
    ///   further lane is possible.
    public func claim(finishing readers: [String]) async throws(JournalError) -> LaneClaim {
        try await asJournal {
            // Nodes that ended without leaving.
            try await database.write("DELETE FROM node WHERE seen < now() - interval '1 day'")
            var unreadable: Set<LaneNumber> = []
            while true {
                if let claim = try await claimExisting(finishing: readers, except: unreadable) {
                    if try await isReadable(claim) { return claim }
                    try await release(claim)
                    unreadable.insert(claim.lane)
                } else if let claim = try await claimNew() {
                    return claim
                }
            }
        }
    }

    /// Whether this version can read all entries of a lane that some reader has not finished.
    private func isReadable(_ claim: LaneClaim) async throws -> Bool {
        try await database.read(
            """
            SELECT 1 FROM entry WHERE number > (SELECT min(place) FROM reader WHERE lane = $1)
                AND number <= $2 AND (signal <> ALL ($3) OR form <> ALL ($4)) LIMIT 1
            """,
            [
                .value(claim.lane.rawValue, .int2), .value(claim.tail, .int8),
                .value(EntryKind.allCases.map { Int16($0.rawValue) }, .array(of: .int2)),
                .value(
                    [PackedBody.Form.plain, .zstd].map { Int16($0.rawValue) }, .array(of: .int2)),
            ]
        ).count == 0
    }

    private func claimExisting(
        finishing readers: [String], except lanes: Set<LaneNumber>
    ) async throws -> LaneClaim? {
        let claimed = try await database.write(
            """
            WITH current AS (SELECT bucket FROM cluster FOR SHARE)
            UPDATE lane SET \(Self.claimed) FROM current WHERE id = (
                SELECT id FROM lane l WHERE (node IS NULL OR until < now()) AND id <> ALL ($3)
                ORDER BY \(Self.hasInheritance(for: "$4")) DESC,
                    \(Self.hasEntries(for: "$4")) DESC, id
                LIMIT 1 FOR UPDATE SKIP LOCKED
            ) RETURNING id, epoch, tail, total
            """,
            claimParameters + [
                .value(lanes.map(\.rawValue), .array(of: .int2)),
                .value(readers, .array(of: .text)),
            ])
        return try claimed.first.map(claim)
    }

    /// The assignments of a claim, with ``claimParameters``.
    static let claimed = """
        epoch = epoch + 1, node = $1, until = now() + $2 * interval '1 second',
        bucket = current.bucket
        """

    var claimParameters: [Parameter] {
        [.value(node.id, .uuid), .value(lease / .seconds(1), .float8)]
    }

    /// Returns `nil` if another node has created a lane at the same time.
    private func claimNew() async throws -> LaneClaim? {
        let count = try await database.read("SELECT coalesce(max(id)::int4, -1) + 1 FROM lane")
        let next = try count.first?.value(0, .int4) ?? 0
        guard let number = Int16(exactly: next) else {
            throw JournalError(
                .other,
                Problem(
                    "database", detail: "has \(next) lanes, and all belong to running nodes",
                    suggestion: "run fewer nodes"))
        }
        let claimed = try await database.write(
            """
            WITH current AS (SELECT bucket FROM cluster FOR SHARE), made AS (
                INSERT INTO lane (id, epoch, node, until, tail, total, bucket)
                SELECT $3, 1, $1, now() + $2 * interval '1 second', $4, 0, bucket FROM current
                ON CONFLICT DO NOTHING RETURNING id, epoch, tail, total
            ), worker AS (
                INSERT INTO reader (lane, name, place, passed) SELECT id, $5, tail, 0 FROM made
            ) SELECT id, epoch, tail, total FROM made
            """,
            claimParameters + [
                .value(number, .int2), .value(LaneNumber(rawValue: number).start, .int8),
                .value(JournalReaders.worker, .text),
            ])
        return try claimed.first.map(claim)
    }

    func claim(_ row: Row) throws -> LaneClaim {
        LaneClaim(
            lane: LaneNumber(rawValue: try row.value(0, .int2)), node: node,
            epoch: try row.value(1, .int8),
            tail: try row.value(2, .int8), total: try row.value(3, .int8))
    }

    /// The condition for a lane with entries that some of these readers have not passed. The node
    /// cannot process entries that wait for other readers.
    static func hasEntries(for readers: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM reader r
            WHERE r.lane = l.id AND r.name = ANY (\(readers)) AND r.place < l.tail)
        """
    }

    /// The condition for a lane with entries for another reader, whose cursor may be assigned at
    /// startup to one of these readers that is new to the lane. Only the node that appends to the
    /// lane assigns the cursors of exporters, so lanes like this are not adopted.
    private static func hasInheritance(for readers: String) -> String {
        """
        (EXISTS (
            SELECT 1 FROM unnest(\(readers)) AS own (name)
            WHERE own.name NOT IN (SELECT name FROM reader WHERE lane = l.id)
        ) AND EXISTS (
            SELECT 1 FROM reader r
            WHERE r.lane = l.id AND r.name <> ALL (\(readers)) AND r.place < l.tail))
        """
    }

    /// Releases a lane. Its claim is no longer valid.
    public func release(_ claim: LaneClaim) async throws(JournalError) {
        try await asJournal {
            try await database.write(
                """
                UPDATE lane SET epoch = epoch + 1, node = NULL, until = now()
                WHERE id = $1 AND epoch = $2
                """, [.value(claim.lane.rawValue, .int2), .value(claim.epoch, .int8)])
        }
    }

    /// Removes the row of a node that is stopping, so that it does not delay migrations.
    public func leave() async throws(JournalError) {
        try await asJournal {
            try await database.write("DELETE FROM node WHERE id = $1", [.value(node.id, .uuid)])
        }
    }
}

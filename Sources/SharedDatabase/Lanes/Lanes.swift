import CallStacks
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
    private let node: ClusterNode
    private let lease: Duration
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

    private static let claimed = """
        epoch = epoch + 1, node = $1, until = now() + $2 * interval '1 second',
        bucket = current.bucket
        """

    private var claimParameters: [Parameter] {
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

    private func claim(_ row: Row) throws -> LaneClaim {
        LaneClaim(
            lane: LaneNumber(rawValue: try row.value(0, .int2)), node: node,
            epoch: try row.value(1, .int8),
            tail: try row.value(2, .int8), total: try row.value(3, .int8))
    }

    /// Renews the leases, on a connection that is reserved for it.
    ///
    /// Call this every third of a lease.
    ///
    /// - Parameters:
    ///   - readers: The readers of this node: the worker and its exporters.
    ///   - isArchiving: Whether the node archives entries.
    public func renew(
        _ claims: [LaneClaim], finishing readers: [String], isArchiving: Bool = false
    ) async throws(JournalError) -> LaneRenewal {
        try await asJournal {
            let moment = clock.moment()
            let results = try await database.pool.transact(
                [try seen(), try leases(claims), try overview(readers, isArchiving)],
                // A server that does not respond must not cost the leases: the next renewal, within
                // the same lease, may reach another one.
                TransactionOptions(connectionClass: .renewal, timeLimit: lease / 4))
            guard results.count == 3, let overview = results[2].first else {
                throw JournalError.damage("a renewal")
            }
            let kept = Set(
                try results[1].map { row in
                    LaneNumber(rawValue: try row.value(0, .int2))
                })
            let time = UnixTime(
                rawValue: try overview.value(0, .timestamptz).millisecondsSince1970)
            clock.renewed(at: time, moment: moment)
            return LaneRenewal(
                kept: claims.filter { kept.contains($0.lane) },
                lost: claims.filter { !kept.contains($0.lane) }, time: time,
                waitingBytes: try overview.value(1, .int8),
                adoptable: try overview.value(2, .array(of: .int2)).map(
                    LaneNumber.init(rawValue:)),
                differingNodes: try overview.value(3, .array(of: .text)),
                slowestReader: try overview.optional(4, .text))
        }
    }

    private func seen() throws -> Statement {
        try Statement(
            """
            INSERT INTO node (id, name, version, schema, settings, seen)
            VALUES ($1, $2, $3, $4, $5, now())
            ON CONFLICT (id) DO UPDATE SET seen = excluded.seen
            """,
            [
                .value(node.id, .uuid), .value(node.name, .text), .value(node.version, .text),
                .value(Schema.version, .int4), .value(node.settingsFingerprint, .bytea),
            ])
    }

    private func leases(_ claims: [LaneClaim]) throws -> Statement {
        try Statement(
            """
            WITH current AS (SELECT bucket FROM cluster FOR SHARE)
            UPDATE lane SET until = now() + $2 * interval '1 second', bucket = current.bucket
            FROM current, unnest($3::int2[], $4::int8[]) AS own (id, epoch)
            WHERE lane.id = own.id AND lane.epoch = own.epoch AND lane.node = $1 RETURNING lane.id
            """,
            claimParameters + [
                .value(claims.map(\.lane.rawValue), .array(of: .int2)),
                .value(claims.map(\.epoch), .array(of: .int8)),
            ])
    }

    private func overview(_ readers: [String], _ isArchiving: Bool) throws -> Statement {
        try Statement(
            """
            SELECT now(), (
                SELECT coalesce(sum(l.total - (
                    SELECT min(passed) FROM reader WHERE lane = l.id AND name <> $3)), 0)
                FROM lane l
            )::int8, ARRAY(
                SELECT l.id FROM lane l WHERE \(Self.isAdoptable("$1", "$2")) ORDER BY l.id
            ), ARRAY(
                SELECT name FROM node WHERE settings <> $4
                    AND seen > now() - 2 * $5 * interval '1 second' ORDER BY name, id
            ), (
                SELECT r.name FROM reader r JOIN lane l ON l.id = r.lane
                WHERE r.name <> $3 AND r.passed < l.total GROUP BY r.name
                ORDER BY sum(l.total - r.passed) DESC, r.name <> $6, r.name COLLATE "C" LIMIT 1)
            """,
            [
                .value(Self.adopting(readers), .array(of: .text)), .value(isArchiving, .bool),
                .value(JournalReaders.unsent, .text), .value(node.settingsFingerprint, .bytea),
                .value(lease / .seconds(1), .float8), .value(JournalReaders.worker, .text),
            ])
    }

    /// The condition for a lane with entries that some of these readers have not passed. The node
    /// cannot process entries that wait for other readers.
    private static func hasEntries(for readers: String) -> String {
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

    /// Returns the readers for which a node adopts lanes. A node with an exporter also takes the
    /// entries that wait for a first one, see ``LaneJournal/inheritUnsent(by:)``.
    private static func adopting(_ readers: [String]) -> [String] {
        readers.contains { $0 != JournalReaders.worker }
            ? readers + [JournalReaders.unsent] : readers
    }

    /// The condition for a lane without an owner that has entries for some of these readers, or to
    /// be archived.
    private static func isAdoptable(_ readers: String, _ isArchiving: String) -> String {
        """
        (l.node IS NULL OR l.until < now()) AND (\(hasEntries(for: readers)) OR \(isArchiving)
            AND l.tail > coalesce((
                SELECT place FROM archive_cursor a WHERE a.lane = l.id), l.id::int8 << 48))
        """
    }

    /// Adopts a lane that has no owner, or returns `nil` if none has entries for these readers or
    /// to be archived. Lanes with entries for readers come first.
    ///
    /// The node does not append to it, and releases it when the readers have finished.
    ///
    /// - Parameter unreadable: Lanes with entries that this version cannot read.
    public func adopt(
        finishing readers: [String], except unreadable: Set<LaneNumber> = [],
        isArchiving: Bool = false
    ) async throws(JournalError) -> LaneClaim? {
        try await asJournal {
            let claimed = try await database.write(
                """
                WITH current AS (SELECT bucket FROM cluster FOR SHARE)
                UPDATE lane SET \(Self.claimed) FROM current WHERE id = (
                    SELECT id FROM lane l
                    WHERE \(Self.isAdoptable("$3", "$4")) AND id <> ALL ($5)
                    ORDER BY \(Self.hasEntries(for: "$3")) DESC, id
                    LIMIT 1 FOR UPDATE SKIP LOCKED
                ) RETURNING id, epoch, tail, total
                """,
                claimParameters + [
                    .value(Self.adopting(readers), .array(of: .text)), .value(isArchiving, .bool),
                    .value(unreadable.map(\.rawValue), .array(of: .int2)),
                ])
            return try claimed.first.map(claim)
        }
    }

    /// Removes the cursors of exporters that no node has had configured for a day although entries
    /// of a lane wait for them, so that the lane's entries can be removed.
    ///
    /// A node that adopts the lane without having such an exporter does not move its cursor. So the
    /// lane is left without an owner once all other readers have finished. Entries that wait for a
    /// first exporter are kept, see ``dropUnsent(after:count:)``.
    ///
    /// - Parameter readers: The readers of this node, which could still adopt the lane.
    /// - Returns: The forgotten readers, to be logged as an error.
    public func forgetReaders(
        except readers: [String], after time: Duration = .seconds(86_400)
    ) async throws(JournalError) -> [ForgottenReader] {
        try await asJournal {
            try await database.write(
                """
                DELETE FROM reader r USING lane l
                WHERE r.lane = l.id AND l.until < now() - $1 * interval '1 second'
                    AND r.place < l.tail AND r.name <> ALL ($2)
                RETURNING l.id, r.name, l.tail - r.place
                """,
                [
                    .value(time / .seconds(1), .float8),
                    .value(
                        readers + [JournalReaders.worker, JournalReaders.unsent],
                        .array(of: .text)),
                ]
            ).map { row in
                ForgottenReader(
                    lane: LaneNumber(rawValue: try row.value(0, .int2)),
                    name: try row.value(1, .text), entryCount: try row.value(2, .int8))
            }
        }
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

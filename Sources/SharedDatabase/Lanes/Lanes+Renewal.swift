import CallStacks
public import Ingest
import PostgreSQL

extension Lanes {
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
}

package import struct FoundationEssentials.UUID
package import Ingest
import PostgreSQL
import Problems

/// The lane to which the contents of an embedded service's data folder are moved.
///
/// Until the import is finished, no node can claim or adopt the lane, because its lease does not
/// expire, and none of its entries are removed, because a reader created for the import has not
/// passed them. Each step can be repeated. Steps of an earlier, abandoned process have no effect,
/// because its claim is outdated.
package struct FolderImport: Sendable {
    let id: UUID
    let journal: LaneJournal

    var database: SharedDatabase { journal.database }
    private var lane: LaneNumber { journal.lane }

    /// The reader that keeps the entries.
    static let reader = "folder import"

    /// Begins or continues an import.
    ///
    /// - Parameters:
    ///   - id: The identifier of the folder.
    ///   - folder: Its path, for operators.
    /// - Returns: `nil` if the import is finished.
    package static func begin(
        _ id: UUID, of folder: String, in database: SharedDatabase
    ) async throws(JournalError) -> Self? {
        try await asJournal {
            let claim = try await database.pool.withTransaction { transaction in
                let own = Parameter.value(id, .uuid)
                let found = try await transaction.rows(
                    "SELECT lane, finished IS NOT NULL FROM folder_import WHERE id = $1 FOR UPDATE",
                    [own])
                guard let row = found.first else {
                    return try await newLane(id, folder, transaction) as LaneClaim?
                }
                if try row.value(1, .bool) { return nil }
                return try await nextClaim(of: try row.value(0, .int2), id, transaction)
            }
            return claim.map { Self(id: id, journal: LaneJournal(of: $0, in: database)) }
        }
    }

    private static func newLane(
        _ id: UUID, _ folder: String, _ transaction: Transaction
    ) async throws -> LaneClaim {
        while true {
            let lanes = try await transaction.rows(
                "SELECT coalesce(max(id)::int4, -1) + 1 FROM lane")
            let next = try lanes.first?.value(0, .int4) ?? 0
            guard let number = Int16(exactly: next) else { throw tooManyLanes(next) }
            let lane = LaneNumber(rawValue: number)
            let made = try await transaction.rows(
                """
                INSERT INTO lane (id, epoch, node, until, tail, total, bucket)
                SELECT $1, 1, $2, 'infinity', $3, 0, bucket FROM cluster FOR SHARE
                ON CONFLICT DO NOTHING RETURNING epoch, tail, total
                """,
                [.value(number, .int2), .value(id, .uuid), .value(lane.start, .int8)])
            // Otherwise a node has created this lane in the meantime.
            guard let row = made.first else { continue }
            try await transaction.rows(
                "INSERT INTO reader (lane, name, place, passed) VALUES ($1, $2, $3, 0)",
                [.value(number, .int2), .value(reader, .text), .value(lane.start, .int8)])
            try await transaction.rows(
                "INSERT INTO folder_import (id, lane, folder) VALUES ($1, $2, $3)",
                [.value(id, .uuid), .value(number, .int2), .value(folder.withoutNUL, .text)])
            return try claim(lane, id, row)
        }
    }

    private static func nextClaim(
        of number: Int16, _ id: UUID, _ transaction: Transaction
    ) async throws -> LaneClaim {
        let claimed = try await transaction.rows(
            """
            WITH current AS (SELECT bucket FROM cluster FOR SHARE)
            UPDATE lane SET epoch = epoch + 1, bucket = current.bucket FROM current WHERE id = $1
            RETURNING epoch, tail, total
            """, [.value(number, .int2)])
        guard let row = claimed.first else { throw JournalError.damage("lane \(number)") }
        return try claim(LaneNumber(rawValue: number), id, row)
    }

    private static func claim(_ lane: LaneNumber, _ id: UUID, _ row: Row) throws -> LaneClaim {
        LaneClaim(
            lane: lane, node: ClusterNode(id: id, name: reader), epoch: try row.value(0, .int8),
            tail: try row.value(1, .int8), total: try row.value(2, .int8))
    }

    private static func tooManyLanes(_ count: Int32) -> JournalError {
        JournalError(
            .other,
            Problem(
                "database", detail: "has \(count) lanes, the limit",
                suggestion: "use another database"))
    }

    /// Returns the folders whose import began some time ago and is not finished. Their
    /// entries stay in the database until it is.
    package static func unfinished(
        in database: SharedDatabase, after time: Duration = .seconds(86_400)
    ) async throws(JournalError) -> [String] {
        try await asJournal {
            try await database.read(
                """
                SELECT folder FROM folder_import
                WHERE finished IS NULL AND begun < now() - $1 * interval '1 second' ORDER BY begun
                """, [.value(time / .seconds(1), .float8)]
            ).map { try $0.value(0, .text) }
        }
    }

    /// The number before the lane's first entry.
    package var start: Int64 { lane.start }

    /// The number of entries in the lane when the import was begun or continued.
    package var entryCount: Int { Int(journal.claim.tail - lane.start) }

    /// Turns the lane into an ordinary one without an owner, whose entries the next node processes
    /// and exports.
    ///
    /// - Parameter readers: The worker and the exporters, with their cursors in the lane.
    package func finish(readers: [MovedReader]) async throws(JournalError) {
        try await asJournal {
            let number = Parameter.value(lane.rawValue, .int2)
            try await journal.fenced { transaction in
                _ = try await transaction.execute([
                    try Statement(
                        """
                        INSERT INTO reader (lane, name, place, passed, configured)
                        SELECT $1, name, place, coalesce(
                            (SELECT e.total FROM entry e WHERE e.number = place), 0), configured
                        FROM unnest($2::text[], $3::int8[], $4::bool[])
                            AS new (name, place, configured)
                        """,
                        [
                            number, .value(readers.map(\.name), .array(of: .text)),
                            .value(readers.map(\.cursor), .array(of: .int8)),
                            .value(readers.map(\.wasConfigured), .array(of: .bool)),
                        ]),
                    try Statement(
                        "DELETE FROM reader WHERE lane = $1 AND name = $2",
                        [number, .value(Self.reader, .text)]),
                    try Statement(
                        """
                        UPDATE lane SET epoch = epoch + 1, node = NULL, until = now() WHERE id = $1
                        """, [number]),
                    try Statement(
                        "UPDATE folder_import SET finished = now() WHERE id = $1",
                        [.value(id, .uuid)]),
                ])
            }
        }
    }
}

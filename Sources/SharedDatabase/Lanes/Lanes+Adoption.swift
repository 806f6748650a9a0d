public import Ingest
import PostgreSQL

extension Lanes {
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

    /// Returns the readers for which a node adopts lanes. A node with an exporter also takes the
    /// entries that wait for a first one, see ``LaneJournal/inheritUnsent(by:)``.
    static func adopting(_ readers: [String]) -> [String] {
        readers.contains { $0 != JournalReaders.worker }
            ? readers + [JournalReaders.unsent] : readers
    }

    /// The condition for a lane without an owner that has entries for some of these readers, or to
    /// be archived.
    static func isAdoptable(_ readers: String, _ isArchiving: String) -> String {
        """
        (l.node IS NULL OR l.until < now()) AND (\(hasEntries(for: readers)) OR \(isArchiving)
            AND l.tail > coalesce((
                SELECT place FROM archive_cursor a WHERE a.lane = l.id), l.id::int8 << 48))
        """
    }
}

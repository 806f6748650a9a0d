import Decompression
public import Ingest
import PostgreSQL
import Problems

/// The reader that copies the entries of diagnostics into objects.
///
/// It follows the worker, which determines the entries that have diagnostics. Its cursor moves from
/// an expected position, in one transaction with the row of an object, so a repeated step neither
/// adds a second row nor skips an entry.
extension LaneJournal {
    /// The maximum number of entries per step.
    private static let entriesPerStep: Int64 = 4_096

    /// Returns the position of the last entry that is archived or need not be. In a lane without
    /// archived entries, it is before the first stored entry.
    public func archiveCursor() async throws(JournalError) -> LanePosition {
        try await asJournal {
            if let cursor = try await storedArchiveCursor() { return cursor }
            return try await fenced { transaction in
                let lane = Parameter.value(self.lane.rawValue, .int2)
                let results = try await transaction.execute([
                    try Statement(
                        """
                        INSERT INTO archive_cursor (lane, place, passed)
                        SELECT l.id, coalesce(e.number - 1, l.tail),
                            coalesce(e.total - octet_length(e.body), l.total)
                        FROM lane l LEFT JOIN entry e ON e.number = (
                            SELECT min(number) FROM entry WHERE number > $2 AND number <= $3)
                        WHERE l.id = $1 ON CONFLICT DO NOTHING
                        """,
                        [lane, .value(self.lane.start, .int8), .value(self.lane.end, .int8)]),
                    try Statement(Self.archiveCursorText, [lane]),
                ])
                guard let row = results.last?.first else { throw JournalError.damage("a cursor") }
                return try LanePosition(row)
            }
        }
    }

    /// Whether all entries are archived.
    public func isArchived() async throws(JournalError) -> Bool {
        try await asJournal {
            try await storedArchiveCursor()?.number ?? lane.start >= claim.tail
        }
    }

    private static let archiveCursorText = """
        SELECT place, passed FROM archive_cursor WHERE lane = $1
        """

    private func storedArchiveCursor() async throws -> LanePosition? {
        try await database.read(
            Self.archiveCursorText, [.value(lane.rawValue, .int2)]
        ).first.map { try LanePosition($0) }
    }

    /// Returns the entries with diagnostics after a position, up to the worker's cursor.
    ///
    /// - Parameter bytes: The maximum size of their stored bodies, which a single larger entry may
    ///   exceed.
    public func archivableEntries(
        after position: LanePosition, bytes: Int64
    ) async throws(JournalError) -> ArchivableEntries {
        try await asJournal {
            try await database.pool.withTransaction(
                TransactionOptions(isReadOnly: true)
            ) { transaction in
                let worker = try await transaction.rows(
                    "SELECT place, passed FROM reader WHERE lane = $1 AND name = $2",
                    [.value(lane.rawValue, .int2), .value(JournalReaders.worker, .text)])
                guard let row = worker.first else { return ArchivableEntries(end: position) }
                let limit = try LanePosition(row)
                guard limit.number > position.number else {
                    return ArchivableEntries(end: position)
                }
                let last = min(limit.number, position.number + Self.entriesPerStep)
                let days = try await Self.days(after: position.number, through: last, transaction)
                let entries = try await Self.entries(days, bytes: bytes, transaction)
                if entries.count < days.count, let end = entries.last {
                    return ArchivableEntries(entries: entries, end: end.position, isLast: false)
                }
                let isLast = last == limit.number
                let end =
                    isLast
                    ? limit
                    : LanePosition(
                        number: last,
                        total: try await Self.total(at: last, transaction) ?? entries.last?
                            .position.total ?? position.total)
                return ArchivableEntries(entries: entries, end: end, isLast: isLast)
            }
        }
    }

    /// The entries with diagnostics, and the latest day of these.
    private static func days(
        after number: Int64, through last: Int64, _ transaction: Transaction
    ) async throws -> [Int64: Int32] {
        var days: [Int64: Int32] = [:]
        for row in try await transaction.rows(
            archivedDaysText, [.value(number, .int8), .value(last, .int8)])
        {
            days[try row.value(0, .int8)] = try row.value(1, .int4)
        }
        return days
    }

    static let archivedDaysText = """
        SELECT entry, max(day) FROM diagnostic WHERE entry > $1 AND entry <= $2 GROUP BY entry
        """

    private static func entries(
        _ days: [Int64: Int32], bytes: Int64, _ transaction: Transaction
    ) async throws -> [ArchivableEntries.Entry] {
        guard !days.isEmpty else { return [] }
        let rows = try await transaction.rows(
            """
            SELECT \(StoredEntry.columns), e.total FROM (
                SELECT *, sum(octet_length(body)) OVER run AS sum, row_number() OVER run AS position
                FROM entry WHERE number = ANY ($1) WINDOW run AS (ORDER BY number)
            ) e WHERE e.sum <= $2 OR e.position = 1 ORDER BY e.number
            """, [.value(days.keys.sorted(), .array(of: .int8)), .value(bytes, .int8)])
        return try rows.map { row in
            let entry = try StoredEntry(row)
            return ArchivableEntries.Entry(
                entry: entry, day: days[entry.number] ?? 0, total: try row.value(8, .int8))
        }
    }

    private static func total(
        at number: Int64, _ transaction: Transaction
    ) async throws -> Int64? {
        try await transaction.rows(
            "SELECT total FROM entry WHERE number = $1", [.value(number, .int8)]
        ).first?.value(0, .int8)
    }

    /// Adds the row of a stored object, and moves the cursor past its entries.
    ///
    /// - Parameter object: The object, or `nil` if none of the passed entries has diagnostics.
    /// - Throws: `JournalError`. If the cursor was moved meanwhile, or the lane belongs to another
    ///   node, nothing is changed. If the connection was lost during the commit, the cursor shows
    ///   whether it took effect.
    public func archive(
        _ object: ArchivedObject?, from start: LanePosition, to end: LanePosition
    ) async throws(JournalError) {
        try await asJournal {
            try await fenced { transaction in
                let moved = try await transaction.rows(
                    """
                    UPDATE archive_cursor SET place = $2, passed = $3
                    WHERE lane = $1 AND place = $4
                    """,
                    [
                        .value(lane.rawValue, .int2), .value(end.number, .int8),
                        .value(end.total, .int8), .value(start.number, .int8),
                    ])
                guard moved.affectedRows == 1 else { throw JournalError.movedCursor }
                guard let object else { return }
                let added = try await transaction.execute(try object.insertion(claimParameters))
                guard added.affectedRows == 1 else { throw JournalError.lost(lane) }
            }
        }
    }
}

/// Entries of a lane to be archived.
public struct ArchivableEntries: Sendable {
    public struct Entry: Sendable {
        public let entry: StoredEntry
        /// The latest day of its diagnostics, counted from 1970.
        public let day: Int32
        /// See ``LanePosition/total``.
        let total: Int64

        public var position: LanePosition { LanePosition(number: entry.number, total: total) }
    }

    public var entries: [Entry] = []
    /// The position up to which no other entry has diagnostics.
    public var end: LanePosition
    /// Whether the worker has not processed further entries.
    public var isLast = true
}

extension LanePosition {
    /// - Parameter row: A row that begins with the two numbers.
    init(_ row: Row) throws {
        self.init(number: try row.value(0, .int8), total: try row.value(1, .int8))
    }
}

extension JournalError {
    fileprivate static let movedCursor = Self(
        .conflict,
        Problem("archive", detail: "the archive cursor of the lane was moved concurrently"))
}

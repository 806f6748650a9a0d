public import Ingest
import PostgreSQL

extension SharedDatabase {
    /// Returns the locations of archived entries. Entries that are not archived are omitted.
    func archived(_ numbers: [Int64]) async throws(JournalError) -> [WantedEntries] {
        guard !numbers.isEmpty else { return [] }
        let wanted = Set(numbers)
        return try await asJournal {
            try await read(
                Self.archivedText, [.value(numbers, .array(of: .int8))], limit: .large
            ).compactMap { row in
                let object = try ArchivedObject(row)
                let entries = object.entries.filter { wanted.contains($0.number) }
                return entries.isEmpty ? nil : WantedEntries(entries, in: object)
            }
        }
    }

    /// Selects, for each number, the first object whose last entry is not before it. Objects of a
    /// lane do not overlap.
    static let archivedText = """
        SELECT \(ArchivedObject.columns) FROM archive WHERE last = ANY (ARRAY(
            SELECT (SELECT a.last FROM archive a WHERE a.last >= w.number ORDER BY a.last LIMIT 1)
            FROM unnest($1::int8[]) AS w (number)))
        """

    /// Returns the numbers whose entries are in the database.
    func storedNumbers(among numbers: [Int64]) async throws(JournalError) -> Set<Int64> {
        try await asJournal {
            Set(
                try await read(
                    "SELECT number FROM entry WHERE number = ANY ($1)",
                    [.value(numbers, .array(of: .int8))], limit: .large
                ).map { try $0.value(0, .int8) })
        }
    }

    /// Returns the stored size of the entries of each lane that are not archived, in bytes. Most of
    /// them have no diagnostics, and will never be archived.
    ///
    /// In a lane without a cursor, such as one that was moved from a data folder, these are all
    /// stored entries.
    public func archiveLag() async throws(JournalError) -> [LaneNumber: Int64] {
        try await asJournal {
            var bytes: [LaneNumber: Int64] = [:]
            for row in try await read(Self.archiveLagText) {
                bytes[LaneNumber(rawValue: try row.value(0, .int2))] = try row.value(1, .int8)
            }
            return bytes
        }
    }

    private static let archiveLagText = """
        SELECT l.id, l.total - coalesce(a.passed, (
            SELECT e.total - octet_length(e.body) FROM entry e
            WHERE e.number > l.id::int8 << 48 AND e.number <= l.tail
            ORDER BY e.number LIMIT 1), l.total)
        FROM lane l LEFT JOIN archive_cursor a ON a.lane = l.id
        """
}

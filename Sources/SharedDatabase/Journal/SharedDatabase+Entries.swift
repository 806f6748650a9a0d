import Ingest
import PostgreSQL

extension SharedDatabase {
    /// The maximum number of rows and bytes of a result. The statements limit the bodies
    /// themselves.
    private static let resultLimit = ResultLimit(rows: 100_000, bytes: 2 << 30)

    /// Returns entries as ``LaneJournal/entries(after:count:bytes:)`` does.
    ///
    /// Partitions have no statistics, so for `ORDER BY … LIMIT` the planner might sort all entries.
    /// Numbers have no gaps, except for removed entries before all others, so a range of numbers is
    /// selected instead.
    func entries(
        after number: Int64, through last: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        let count = Int64(min(count, Self.resultLimit.rows))
        let next = last - number <= count ? last : number + count
        let entries = try await entries(between: number, and: next, bytes: bytes)
        guard entries.isEmpty, next < last else { return entries }
        // Entries of the range may have been appended in the meantime, so the search includes it.
        let first = try await asJournal {
            try await read(
                "SELECT min(number) FROM entry WHERE number > $1 AND number <= $2",
                [.value(number, .int8), .value(last, .int8)]
            ).first?.optional(0, .int8)
        }
        guard let first else { return [] }
        return try await self.entries(
            between: first - 1, and: min(first - 1 + count, last), bytes: bytes)
    }

    private func entries(
        between number: Int64, and last: Int64, bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        try await entries(
            """
            SELECT \(StoredEntry.columns) FROM (
                SELECT *, sum(size) OVER run AS sum, row_number() OVER run AS position
                FROM entry WHERE number > $1 AND number <= $2 WINDOW run AS (ORDER BY number)
            ) e WHERE e.sum <= $3 OR e.position = 1 ORDER BY e.number
            """,
            [
                .value(number, .int8), .value(last, .int8),
                .value(Int64(min(bytes, Self.resultLimit.bytes / 2)), .int8),
            ])
    }

    /// Returns entries as ``LaneJournal/entries(_:bytes:)`` does.
    func entries(
        _ numbers: [Int64], bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        guard !numbers.isEmpty else { return [] }
        return try await entries(
            """
            SELECT \(StoredEntry.columns) FROM (
                SELECT e.*, wanted.position, sum(e.size) OVER (ORDER BY wanted.position) AS sum
                FROM unnest($1::int8[]) WITH ORDINALITY AS wanted (number, position)
                JOIN entry e ON e.number = wanted.number WHERE e.number = ANY ($1)
            ) e WHERE e.sum <= $2 ORDER BY e.position
            """,
            [
                .value(numbers, .array(of: .int8)),
                .value(Int64(min(bytes, Self.resultLimit.bytes / 2)), .int8),
            ])
    }

    /// Returns the entries up to the first one that this version cannot read.
    ///
    /// - Throws: `JournalError` with the reason `unreadable` if that is the first one.
    private func entries(
        _ text: String, _ parameters: [Parameter]
    ) async throws(JournalError) -> [JournalEntry] {
        try await asJournal {
            let rows = try await read(text, parameters, limit: Self.resultLimit)
            var entries: [JournalEntry] = []
            for row in rows {
                do {
                    entries.append(try StoredEntry(row).entry())
                } catch let error as JournalError
                    where error.reason == .unreadable && !entries.isEmpty
                {
                    break
                }
            }
            return entries
        }
    }
}

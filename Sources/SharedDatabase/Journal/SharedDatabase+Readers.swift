import CallStacks
public import Ingest
import PostgreSQL

extension SharedDatabase {
    /// Returns the exporters with their backlogs in all lanes, and those that only have dead letters,
    /// sorted by name.
    public func readers() async throws(JournalError) -> [ReaderStatus] {
        let letters = try await deadLetterCounts()
        let stored = try await asJournal {
            try await read(
                """
                SELECT r.name, sum(l.tail - r.place)::int8, sum(l.total - r.passed)::int8, min(
                    (SELECT e.arrival FROM entry e WHERE e.number = r.place + 1)),
                    bool_or(r.configured)
                FROM reader r JOIN lane l ON l.id = r.lane
                WHERE NOT r.name = ANY ($1) GROUP BY r.name
                """,
                [.value([JournalReaders.worker, FolderImport.reader], .array(of: .text))]
            ).map { row in
                let name = try row.value(0, .text)
                return ReaderStatus(
                    name: name, backlog: try LaneJournal.backlog(row),
                    deadLetterCount: letters.first { $0.exporter == name }?.letterCount ?? 0,
                    wasConfigured: try row.value(4, .bool))
            }
        }
        return Self.readers(stored, withDeadLetters: letters)
    }

    /// Returns the readers and the exporters that only have dead letters, sorted by name.
    static func readers(
        _ stored: [ReaderStatus], withDeadLetters letters: [DeadLetterCount]
    ) -> [ReaderStatus] {
        let others = letters.filter { count in !stored.contains { $0.name == count.exporter } }
        return
            (stored
            + others.map { count in
                ReaderStatus(
                    name: count.exporter, hasCursor: false, deadLetterCount: count.letterCount,
                    wasConfigured: false)
            }).sorted { $0.name < $1.name }
    }
}

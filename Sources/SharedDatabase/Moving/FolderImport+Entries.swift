import CallStacks
import Decompression
package import Ingest
import PostgreSQL

extension FolderImport {
    /// Appends entries, all or none.
    package func append(_ drafts: [JournalDraft]) async throws(JournalError) {
        _ = try await journal.append(drafts)
        try await asJournal {
            // Does the same as the renewal of a node, so that bytes delivered long ago do not count
            // as waiting.
            _ = try await database.pool.transact([
                try Statement(
                    """
                    WITH current AS (SELECT bucket FROM cluster FOR SHARE)
                    UPDATE lane SET bucket = current.bucket FROM current
                    WHERE id = $1 AND epoch = $2
                    """, journal.claimParameters),
                try Statement(
                    """
                    UPDATE reader SET passed = l.total FROM lane l
                    WHERE l.id = $1 AND l.epoch = $2 AND reader.lane = l.id AND reader.name = $3
                    """, journal.claimParameters + [.value(Self.reader, .text)]),
            ])
        }
        try await advancePartitions()
    }

    /// Begins partitions in time, even if no node is running.
    private func advancePartitions() async throws(JournalError) {
        let tasks = SharedTasks(of: database, for: journal.claim.node)
        guard try await tasks.hold(EntryPartitions.task, for: .seconds(120)) else { return }
        _ = try await EntryPartitions(of: database).advance()
    }

    /// Stores keys of processed payloads, to recognise duplicates.
    package func add(payloads keys: [[UInt8]]) async throws(JournalError) {
        try await asJournal {
            try await database.write(
                """
                INSERT INTO seen_payload (key)
                SELECT DISTINCT key FROM unnest($1::bytea[]) AS new (key) ORDER BY key
                ON CONFLICT DO NOTHING
                """, [.value(keys, .array(of: .bytea))])
        }
    }

    /// The id of the last dead letter that was added, as its folder numbers it.
    package func lastLetter() async throws(JournalError) -> Int64 {
        try await asJournal {
            try await database.read(
                "SELECT letter FROM folder_import WHERE id = $1", [.value(id, .uuid)]
            ).first?.value(0, .int8) ?? 0
        }
    }

    /// Adds a dead letter, once.
    package func add(_ moved: MovedLetter) async throws(JournalError) {
        let letter = moved.letter
        try await asJournal {
            let body = try PackedBody(letter.body)
            try await journal.fenced { transaction in
                let advanced = try await transaction.rows(
                    "UPDATE folder_import SET letter = $2 WHERE id = $1 AND letter < $2",
                    [.value(id, .uuid), .value(letter.id, .int8)])
                guard advanced.affectedRows == 1 else { return }
                try await transaction.rows(
                    """
                    INSERT INTO dead_letter (
                        exporter, signal, refusal, reason, records, rejected, refused_under, size,
                        form, body)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                    """,
                    [
                        .value(letter.exporter.withoutNUL, .text),
                        .value(Int16(letter.signal.rawValue), .int2),
                        .value(letter.refusal.rawValue, .int8),
                        .value(letter.reason.withoutNUL, .text),
                        .value(Int32(clamping: letter.recordCount), .int4),
                        .optional(letter.rejectedCount.map { Int32(clamping: $0) }, .int4),
                        .optional(moved.refusedUnder, .text), .value(Int32(body.size), .int4),
                        .value(Int16(body.form.rawValue), .int2), .value(body.bytes, .bytea),
                    ])
            }
        }
    }
}

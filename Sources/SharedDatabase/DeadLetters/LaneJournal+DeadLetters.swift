import CallStacks
import Decompression
public import Ingest
import PostgreSQL

extension LaneJournal {
    /// Stores a dead letter and moves its exporter's cursor, in one transaction.
    public func deadLetter(
        _ letter: DeadLetter, advancingTo number: Int64
    ) async throws(JournalError) {
        let statement = try await asJournal {
            try insertion(of: letter, body: try PackedBody(letter.body))
        }
        try await advance(letter.exporter, to: number, with: [statement])
    }

    /// A caller with an unknown outcome stores the same letter again. The statement that moves the
    /// cursor runs first and waits for the earlier transaction, so this one sees its letter.
    private func insertion(of letter: DeadLetter, body: PackedBody) throws -> Statement {
        try Statement(
            """
            INSERT INTO dead_letter (
                exporter, signal, refusal, reason, records, rejected, size, form, body)
            SELECT $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM lane
            WHERE id = $1 AND epoch = $2 AND NOT EXISTS (
                SELECT 1 FROM dead_letter
                WHERE refusal = $5 AND exporter = $3 AND signal = $4
                    AND reason = $6 AND records = $7 AND rejected IS NOT DISTINCT FROM $8
                    AND form = $10 AND body = $11)
            """,
            claimParameters + [
                .value(letter.exporter, .text), .value(Int16(letter.signal.rawValue), .int2),
                .value(letter.refusal.rawValue, .int8), .value(letter.reason.withoutNUL, .text),
                .value(Int32(clamping: letter.recordCount), .int4),
                .optional(letter.rejectedCount.map { Int32(clamping: $0) }, .int4),
                .value(Int32(body.size), .int4), .value(Int16(body.form.rawValue), .int2),
                .value(body.bytes, .bytea),
            ])
    }
}

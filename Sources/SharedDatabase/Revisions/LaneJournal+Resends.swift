public import CallStacks
public import Ingest
import PostgreSQL

extension LaneJournal {
    /// Appends an entry of ``Ingest/EntryKind/revision`` to the lane for each diagnostic of any lane
    /// that is due to be sent again or whose hold has ended, at most `count`, earliest first.
    ///
    /// Until the worker has processed the entry, no node appends another one for the diagnostic, so
    /// only one revision of it is in progress at a time.
    ///
    /// While archived entries cannot be read, only diagnostics whose holds have ended are enqueued,
    /// because their entries are in the database. The others are sent again later.
    public func enqueueDue(count: Int, now: UnixTime) async throws(JournalError) -> [JournalEntry] {
        guard count > 0 else { return [] }
        let due = options.archive?.isAvailable ?? true ? "due" : "held"
        return try await asJournal {
            try await end.append { transaction in
                let rows = try await transaction.rows(
                    """
                    SELECT entry, position FROM resend WHERE taken IS NULL AND \(due) <= $1
                    ORDER BY \(due), entry, position LIMIT $2 FOR UPDATE SKIP LOCKED
                    """, [.value(now.rawValue, .int8), .value(Int64(count), .int8)])
                var generator = SystemRandomNumberGenerator()
                return try rows.map { row in
                    let address = RecordAddress(
                        entry: try row.value(0, .int8), position: Int(try row.value(1, .int4)))
                    return JournalDraft(
                        key: .random(using: &generator), arrival: now, kind: .revision,
                        body: RevisionReference.address(address).body)
                }
            } then: { entries, transaction in
                try await Self.take(entries, transaction)
            }
        }
    }

    /// Records the entries that send diagnostics again, and ends their holds.
    private static func take(_ entries: [JournalEntry], _ transaction: Transaction) async throws {
        let addresses = entries.compactMap { entry in
            if case .address(let address) = RevisionReference(entry.draft.body) {
                (entry.number, address)
            } else {
                nil
            }
        }
        let parameters: [Parameter] = [
            .value(addresses.map(\.1.entry), .array(of: .int8)),
            .value(addresses.map { Int32(clamping: $0.1.position) }, .array(of: .int4)),
        ]
        _ = try await transaction.execute([
            try Statement(
                """
                UPDATE resend r SET taken = new.number, marked = NULL, held = NULL
                FROM unnest($1::int8[], $2::int4[], $3::int8[]) AS new (entry, position, number)
                WHERE r.entry = new.entry AND r.position = new.position
                """, parameters + [.value(addresses.map(\.0), .array(of: .int8))]),
            try Statement(
                """
                UPDATE diagnostic d SET state = \(DiagnosticRecord.State.released.rawValue)
                FROM unnest($1::int8[], $2::int4[]) AS new (entry, position)
                WHERE d.entry = ANY ($1) AND d.entry = new.entry AND d.position = new.position
                    AND state = \(DiagnosticRecord.State.held.rawValue)
                """, parameters),
        ])
    }
}

import Ingest
import PostgreSQL

/// The table of the keys of repeatable entries, in a transaction that appends them.
///
/// All nodes claim keys in the same order, so their transactions cannot deadlock.
struct EntryClaims {
    private let transaction: Transaction

    /// Whether the previous version of the program has appended a payload. That version does not
    /// claim keys, so this looks for the entry of the payload, or for its key if it was already
    /// processed.
    private static let isPayload = """
        EXISTS (SELECT 1 FROM seen_payload s WHERE s.key = new.key)
        OR EXISTS (SELECT 1 FROM entry e WHERE e.key = new.key AND e.signal = 4)
        """

    /// Selects the appended keys among those of `$1`.
    static let lookup = """
        SELECT key FROM unnest($1::bytea[]) AS new (key)
        WHERE EXISTS (SELECT 1 FROM claimed_key c WHERE c.key = new.key) OR \(isPayload)
        """

    init(_ transaction: Transaction) { self.transaction = transaction }

    /// Claims the keys of repeatable drafts, and waits for transactions of other nodes that are
    /// claiming the same ones.
    ///
    /// - Returns: For each draft, whether to append it. Of drafts with equal keys, only the first
    ///   is appended.
    func claim(for drafts: [StoredDraft]) async throws -> [Bool] {
        let keys = drafts.filter(\.isRepeatable).map(\.key.bytes)
        let rows = try await transaction.rows(
            """
            INSERT INTO claimed_key (key)
            SELECT DISTINCT key FROM unnest($1::bytea[]) AS new (key)
            WHERE NOT (\(Self.isPayload))
            ORDER BY key
            ON CONFLICT DO NOTHING RETURNING key
            """, [.value(keys, .array(of: .bytea))])
        var claimed = Set(try rows.map { try $0.value(0, .bytea) })
        return drafts.map { !$0.isRepeatable || claimed.remove($0.key.bytes) != nil }
    }
}

import CallStacks
public import Ingest
import PostgreSQL

/// The revisions of the diagnostics of all lanes.
extension LaneJournal: RevisionArchive {
    public func diagnosticsToRevise(
        at addresses: [RecordAddress]
    ) async throws(JournalError) -> [DiagnosticRecord] {
        try await database.diagnosticsToRevise(at: addresses)
    }

    public func revisions(
        ofEntry number: Int64
    ) async throws(JournalError) -> [RevisionState] {
        try await database.revisions(ofEntry: number)
    }

    /// Stores revisions before they are sent, all or none.
    ///
    /// - Returns: `false` if another revision of a diagnostic was stored after its content was
    ///   computed.
    public func advance(
        _ revisions: [NextRevision], symbolsSeen: Int64
    ) async throws(JournalError) -> Bool {
        let reduced = revisions.compactMap(\.reducedStored)
        do {
            try await asJournal {
                try await store([], revised: reduced) { run in
                    try await run.begin(expecting: revisions.map(\.last))
                    _ = try await run.transaction.execute(try Self.numbering(revisions))
                    try await run.store([], revised: reduced, symbolsSeen: symbolsSeen)
                }
            }
            return true
        } catch {
            if error.reason == .conflict { return false }
            throw error
        }
    }

    static let numberingText = """
        UPDATE diagnostic d SET revision = new.revision, digest = new.digest,
            history = new.history
        FROM unnest($1::int8[], $2::int4[], $3::int4[], $4::bytea[], $5::bytea[])
            AS new (entry, position, revision, digest, history)
        WHERE d.entry = ANY ($1) AND d.entry = new.entry AND d.position = new.position
        """

    private static func numbering(_ revisions: [NextRevision]) throws -> Statement {
        try Statement(
            numberingText,
            [
                .value(revisions.map(\.last.address.entry), .array(of: .int8)),
                .value(
                    revisions.map { Int32(clamping: $0.last.address.position) },
                    .array(of: .int4)),
                .value(revisions.map { Int32(clamping: $0.sent.number) }, .array(of: .int4)),
                .value(revisions.map(\.content?.bytes), .nullableArray(of: .bytea)),
                .value(revisions.map(\.history.column), .nullableArray(of: .bytea)),
            ])
    }
}

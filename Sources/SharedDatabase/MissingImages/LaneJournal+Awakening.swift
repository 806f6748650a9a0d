public import CallStacks
public import Ingest
import PostgreSQL

extension LaneJournal {
    /// The number of runs whose diagnostics a step marks.
    private static let runsPerStep = 50

    /// Marks some of the diagnostics that wait for an image, or suspends all their waits, see
    /// ``Ingest/DiagnosticArchive/stepAwakening(of:_:)``.
    ///
    /// If another node is running a step, this one marks no diagnostics and counts as the last
    /// step. The image remains among ``awakenedImages()``, which every node polls, so if the other
    /// node is killed, a later step of any node marks the rest.
    public func stepAwakening(
        of image: ImageID, _ terms: ResendTerms
    ) async throws(JournalError) -> AwakeningStep {
        try await asJournal {
            try await fenced { transaction in
                let found = try await transaction.rows(
                    """
                    SELECT m.id, m.image, m.app, m.stored, a.effect
                    FROM missing_image m JOIN awakening a ON a.image = m.id
                    WHERE m.image = $1 ORDER BY m.id LIMIT 1 FOR UPDATE OF m SKIP LOCKED
                    """, [.value(image.bytes, .bytea)])
                guard let row = found.first else { return AwakeningStep() }
                let missing = try MissingImageRow(row)
                var step = AwakeningStep()
                if try row.value(4, .int2) == SymbolChangeEffect.suspends.rawValue,
                    !terms.includesSystem
                {
                    try await suspendWaits(for: missing, transaction)
                    try await end(awakeningOf: missing, transaction)
                } else {
                    step.markedCount = try await mark(waitingFor: missing, terms, transaction)
                }
                step.isLast = try await !isAwakened(image, transaction)
                return step
            }
        }
    }

    private func end(
        awakeningOf missing: MissingImageRow, _ transaction: Transaction
    ) async throws {
        try await transaction.rows(
            "DELETE FROM awakening WHERE image = $1", [.value(missing.id, .int8)])
    }

    private func isAwakened(_ image: ImageID, _ transaction: Transaction) async throws -> Bool {
        try await transaction.rows(
            """
            SELECT 1 FROM missing_image m JOIN awakening a ON a.image = m.id WHERE m.image = $1
            """, [.value(image.bytes, .bytea)]
        ).count > 0
    }

    /// Ends the waits for a system image until its symbols are removed, if all of them are stored.
    /// Otherwise the diagnostics still wait for all symbols, because without a revision nothing
    /// would make them wait again.
    private func suspendWaits(
        for missing: MissingImageRow, _ transaction: Transaction
    ) async throws {
        if try await SymbolChangeTable(transaction).isMissing(missing) { return }
        try await transaction.rows(
            "UPDATE missing_image SET stored = true WHERE id = $1", [.value(missing.id, .int8)])
    }

    /// Takes lists of diagnostics that wait for the image in `$1`.
    static let nextListsText = """
        DELETE FROM wait WHERE image = $1 AND (run, day) IN (
            SELECT run, day FROM wait WHERE image = $1 ORDER BY run LIMIT $2)
        RETURNING day, addresses
        """

    /// Removes the image in `$1` from those that diagnostics wait for.
    static let releaseText = """
        UPDATE diagnostic d SET wanted = array_replace(wanted, $1, 0)
        FROM unnest($2::int8[], $3::int4[], $4::int4[]) AS new (entry, position, day)
        WHERE d.entry = ANY ($2) AND d.entry = new.entry AND d.position = new.position
            AND d.day = new.day AND $1 = ANY (d.wanted)
        RETURNING d.entry, d.position, d.day, d.app, d.arrival
        """

    /// - Returns: The number of marked diagnostics. Those that are too old stop waiting without
    ///   being marked.
    private func mark(
        waitingFor missing: MissingImageRow, _ terms: ResendTerms, _ transaction: Transaction
    ) async throws -> Int {
        let lists = try await transaction.rows(
            Self.nextListsText,
            [.value(missing.id, .int8), .value(Int64(Self.runsPerStep), .int8)])
        let released = try await release(lists, from: missing.id, transaction)
        var changes = WaitChanges()
        for row in released { changes.remove(missing.id, app: row.app, day: row.day) }
        let marked = released.filter { $0.arrival >= terms.oldest }
        let statements =
            try changes.statements(in: lane) + [
                try Self.marking(marked, due: terms.due)
            ]
        _ = try await transaction.execute(statements)
        if lists.count < Self.runsPerStep { try await end(awakeningOf: missing, transaction) }
        return marked.count
    }

    /// A diagnostic that no longer waits for an image.
    private struct Released {
        let address: RecordAddress
        let day: Int32
        let app: String?
        let arrival: UnixTime
    }

    /// Removes an image from those that diagnostics wait for. Diagnostics that were revised since
    /// may not wait for it any more.
    private func release(
        _ lists: QueryResult, from id: Int64, _ transaction: Transaction
    ) async throws -> [Released] {
        let waiting = try lists.flatMap { row in
            let day = try row.value(0, .int4)
            return try PostingList.addresses(in: try row.value(1, .bytea)).map { ($0, day) }
        }
        let rows = try await transaction.rows(
            Self.releaseText,
            [
                .value(id, .int8), .value(waiting.map(\.0.entry), .array(of: .int8)),
                .value(waiting.map { Int32(clamping: $0.0.position) }, .array(of: .int4)),
                .value(waiting.map(\.1), .array(of: .int4)),
            ])
        return try rows.map { row in
            Released(
                address: RecordAddress(
                    entry: try row.value(0, .int8), position: Int(try row.value(1, .int4))),
                day: try row.value(2, .int4), app: try row.optional(3, .text),
                arrival: UnixTime(rawValue: try row.value(4, .int8)))
        }
    }

    private static func marking(_ released: [Released], due: UnixTime) throws -> Statement {
        try Statement(
            """
            INSERT INTO resend (entry, position, day, marked)
            SELECT DISTINCT entry, position, day, $4::int8
            FROM unnest($1::int8[], $2::int4[], $3::int4[]) AS new (entry, position, day)
            ORDER BY entry, position
            ON CONFLICT (entry, position) DO UPDATE
            SET marked = greatest(resend.marked, excluded.marked)
            """,
            [
                .value(released.map(\.address.entry), .array(of: .int8)),
                .value(
                    released.map { Int32(clamping: $0.address.position) }, .array(of: .int4)),
                .value(released.map(\.day), .array(of: .int4)), .value(due.rawValue, .int8),
            ])
    }
}

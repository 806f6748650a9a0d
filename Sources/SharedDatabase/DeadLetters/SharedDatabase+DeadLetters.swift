public import CallStacks
import Decompression
public import Ingest
import PostgreSQL
import Synchronization

extension SharedDatabase {
    /// The size limit of the bodies in one list, in bytes.
    private static let bytesPerList: Int64 = 64 << 20
    private static let resultLimit = ResultLimit(rows: 10_000, bytes: 1 << 30)

    private func letters(
        _ statement: Statement
    ) async throws -> [DeadLetter] {
        let rows = try await pool.transact([statement], TransactionOptions()).last
        return try rows?.map { try StoredLetter($0).letter() } ?? []
    }

    /// Returns dead letters without their bodies, in the order of their ids.
    public func deadLetterSummaries(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetterSummary] {
        try await asJournal {
            try await read(
                """
                SELECT id, exporter, signal, refusal, reason, records, size FROM dead_letter
                WHERE id > $1 ORDER BY id LIMIT $2
                """, [.value(id, .int8), .value(Int64(count), .int8)]
            ).map { row in
                let id = try row.value(0, .int8)
                return DeadLetterSummary(
                    id: id, exporter: try row.value(1, .text),
                    signal: try StoredLetter.signal(try row.value(2, .int2), id: id),
                    refusal: UnixTime(rawValue: try row.value(3, .int8)),
                    reason: try row.value(4, .text), recordCount: Int(try row.value(5, .int4)),
                    byteCount: Int(try row.value(6, .int4)))
            }
        }
    }

    /// The time after which a claim expires, in case the claimant ends before it has resent its
    /// letters.
    public static let claimTime = Duration.seconds(300)

    /// Returns the dead letters of an exporter to resend automatically, and claims them, so that
    /// no other claimant resends them meanwhile.
    ///
    /// Letters that were refused again under the exporter's current settings, partly accepted, or
    /// claimed by another claimant are excluded. Letters are in the order of their ids: at most
    /// `count`, or fewer if their bodies are large, but at least one if there is one.
    ///
    /// - Parameters:
    ///   - settingsFingerprint: The fingerprint of the exporter's current settings.
    ///   - time: The time after which the claim expires.
    public func claimResendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int,
        for claimant: DeadLetterClaimant, lasting time: Duration = claimTime
    ) async throws(JournalError) -> [DeadLetter] {
        try await claimDeadLetters(
            where: """
                exporter = $4 AND rejected IS NULL AND refused_under IS DISTINCT FROM $5
                """,
            [.value(exporter, .text), .value(settingsFingerprint, .text)], after: id, count: count,
            for: claimant, lasting: time)
    }

    /// Claims the next dead letter to resend on request, or returns `nil` if there is none.
    ///
    /// - Parameter ids: The letters to choose from, or `nil` for all.
    public func claimDeadLetter(
        among ids: [Int64]?, after id: Int64, for claimant: DeadLetterClaimant
    ) async throws(JournalError) -> DeadLetter? {
        try await claimDeadLetters(
            where: "($4::int8[] IS NULL OR id = ANY ($4))",
            [.optional(ids, .array(of: .int8))], after: id, count: 1, for: claimant,
            lasting: Self.claimTime
        ).first
    }

    /// Releases the claims on letters that were not delivered.
    public func releaseDeadLetters(
        _ ids: [Int64], of claimant: DeadLetterClaimant
    ) async throws(JournalError) {
        try await asJournal {
            try await write(
                """
                UPDATE dead_letter SET claimed_by = NULL WHERE id = ANY ($1) AND claimed_by = $2::uuid
                """, [.value(ids.sorted(), .array(of: .int8)), .value(claimant.id, .text)])
        }
    }

    /// - Parameter condition: May use `$4` and later placeholders.
    private func claimDeadLetters(
        where condition: String, _ parameters: [Parameter], after id: Int64, count: Int,
        for claimant: DeadLetterClaimant, lasting time: Duration
    ) async throws(JournalError) -> [DeadLetter] {
        try await asJournal {
            try await letters(
                try Statement(
                    """
                    WITH free AS (
                        SELECT id, size FROM dead_letter
                        WHERE id > $1 AND \(condition)
                        AND (claimed_by IS NULL OR claimed_by = $3::uuid OR claimed_until < now())
                        ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED
                    ), few AS (
                        SELECT id, sum(size) OVER run AS sum, row_number() OVER run AS position
                        FROM free WINDOW run AS (ORDER BY id)
                    ), d AS (
                        UPDATE dead_letter d SET claimed_by = $3::uuid,
                            claimed_until = now() + \(time / .seconds(1)) * interval '1 second'
                        FROM few WHERE few.id = d.id
                        AND (few.sum <= \(Self.bytesPerList) OR few.position = 1) RETURNING d.*
                    ) SELECT \(StoredLetter.columns) FROM d ORDER BY d.id
                    """,
                    [
                        .value(id, .int8), .value(Int64(count), .int8),
                        .value(claimant.id, .text),
                    ]
                        + parameters, limit: Self.resultLimit))
        }
    }

    /// Records that letters were refused again under these settings, and releases the claims on
    /// them.
    public func recordRefusal(
        of ids: [Int64], settingsFingerprint: String
    ) async throws(JournalError) {
        try await asJournal {
            try await write(
                """
                UPDATE dead_letter SET refused_under = $2, claimed_by = NULL WHERE id = ANY ($1)
                """, [.value(ids.sorted(), .array(of: .int8)), .value(settingsFingerprint, .text)])
        }
    }

    /// Returns the numbers of dead letters by exporter.
    public func deadLetterCounts() async throws(JournalError) -> [DeadLetterCount] {
        try await asJournal {
            try await read(
                """
                SELECT exporter, count(*), sum(coalesce(rejected, records)) FROM dead_letter
                GROUP BY exporter ORDER BY exporter COLLATE "C"
                """
            ).map { row in
                DeadLetterCount(
                    exporter: try row.value(0, .text), letterCount: Int(try row.value(1, .int8)),
                    recordCount: Int(try row.value(2, .int8)))
            }
        }
    }

    /// Removes dead letters, after they were delivered or on request.
    public func removeDeadLetters(_ ids: [Int64]) async throws(JournalError) {
        try await asJournal {
            try await write(
                "DELETE FROM dead_letter WHERE id = ANY ($1)",
                [.value(ids.sorted(), .array(of: .int8))])
        }
    }

    /// Drops a reader of all lanes, its backlog and its dead letters.
    public func dropReader(_ name: String) async throws(JournalError) {
        guard !name.utf8.contains(0) else { return }
        try await asJournal {
            let name = Parameter.value(name, .text)
            _ = try await pool.transact([
                try Statement("DELETE FROM reader WHERE name = $1", [name]),
                try Statement("DELETE FROM dead_letter WHERE exporter = $1", [name]),
            ])
            removedReaders.withLock { $0 += 1 }
        }
    }

    /// Removes dead letters before `oldest`, then the oldest ones while all of them together take
    /// more than `bytes`; at most `count` at a time.
    ///
    /// - Returns: The number of removed letters.
    public func removeDeadLetters(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int {
        try await asJournal {
            var removed = 0
            if let first = try await deadLetterExtent().oldest, first < oldest {
                removed = try await write(
                    """
                    DELETE FROM dead_letter WHERE id IN (
                        SELECT id FROM dead_letter WHERE refusal < $1 ORDER BY refusal LIMIT $2)
                    """, [.value(oldest.rawValue, .int8), .value(Int64(count), .int8)]
                ).affectedRows
            }
            let excess = try await deadLetterExtent().byteCount - bytes
            guard removed < count, excess > 0 else { return removed }
            return removed
                + (try await write(
                    """
                    DELETE FROM dead_letter WHERE id IN (
                        SELECT id FROM (
                            SELECT id, sum(size) OVER (ORDER BY id) - size AS older
                            FROM (SELECT id, size FROM dead_letter ORDER BY id LIMIT $2) d) d
                        WHERE older < $1)
                    """, [.value(excess, .int8), .value(Int64(count - removed), .int8)]
                ).affectedRows)
        }
    }

    /// Returns the sum of the sizes of all letters, and the refusal of the oldest one, in one pass
    /// over an index.
    private func deadLetterExtent() async throws -> (byteCount: Int64, oldest: UnixTime?) {
        let rows = try await read("SELECT sum(size), min(refusal) FROM dead_letter")
        return (
            try rows.first?.optional(0, .int8) ?? 0,
            try rows.first?.optional(1, .int8).map { UnixTime(rawValue: $0) }
        )
    }
}

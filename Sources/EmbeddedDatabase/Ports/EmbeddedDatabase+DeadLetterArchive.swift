public import CallStacks
import Decompression
import GRDB
public import Ingest

extension EmbeddedDatabase: DeadLetterArchive {
    public func deadLetterSummaries(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetterSummary] {
        guard count > 0 else { return [] }
        return try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DeadLetterTable(db).summaries(after: id, count: count) }
        }
    }

    public func resendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int,
        for claimant: DeadLetterClaimant
    ) async throws(JournalError) -> [DeadLetter] {
        try await letters(count) { db in
            try DeadLetterTable(db).resendable(
                of: exporter, settingsFingerprint: settingsFingerprint, after: id, count: count)
        }
    }

    public func claimDeadLetter(
        among ids: [Int64]?, after id: Int64, for claimant: DeadLetterClaimant
    ) async throws(JournalError) -> DeadLetter? {
        try await letters(1) { db in
            try DeadLetterTable(db).first(among: ids, after: id).map { [$0] } ?? []
        }.first
    }

    /// Does nothing: only one process sends letters, so letters are not claimed.
    public func releaseDeadLetters(
        _ ids: [Int64], of claimant: DeadLetterClaimant
    ) async throws(JournalError) {}

    private func letters(
        _ count: Int, _ find: @escaping @Sendable (Database) throws -> [DeadLetterTable.Stored]
    ) async throws(JournalError) -> [DeadLetter] {
        guard count > 0 else { return [] }
        return try await asJournal { () async throws(DatabaseProblem) in
            var letters: [DeadLetter] = []
            for letter in try await read(find) { letters.append(try letter.letter()) }
            return letters
        }
    }

    public func recordRefusal(
        of ids: [Int64], settingsFingerprint: String
    ) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try DeadLetterTable(db).recordRefusal(
                    of: ids, settingsFingerprint: settingsFingerprint)
            }
        }
    }

    public func deadLetterCounts() async throws(JournalError) -> [DeadLetterCount] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DeadLetterTable(db).counts() }
        }
    }

    public func deadLetter(_ letter: DeadLetter, advancingTo number: Int64)
        async throws(JournalError)
    {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write(
                bytes: letter.body.count,
                prepare: { () throws(DatabaseProblem) in try PackedBody(packing: letter.body) }
            ) { db, body in
                try DeadLetterTable(db).add(letter, body)
                try JournalTable(db).advance(letter.exporter, to: number)
            }
        }
    }

    public func removeDeadLetters(_ ids: [Int64]) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try DeadLetterTable(db).remove(ids) }
        }
    }

    public func removeDeadLetters(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int {
        let isBeyond = try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DeadLetterTable(db).isBeyond(oldest, keeping: bytes) }
        }
        guard isBeyond else { return 0 }
        return try await inChunks(of: count) { db, count in
            try DeadLetterTable(db).remove(before: oldest, keeping: bytes, count: count)
        }
    }
}

public import CallStacks
public import Ingest

extension LaneJournal: DeadLetterArchive {
    public func deadLetterSummaries(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetterSummary] {
        try await database.deadLetterSummaries(after: id, count: count)
    }

    public func resendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int,
        for claimant: DeadLetterClaimant
    ) async throws(JournalError) -> [DeadLetter] {
        try await database.claimResendableDeadLetters(
            of: exporter, settingsFingerprint: settingsFingerprint, after: id, count: count,
            for: claimant)
    }

    public func claimDeadLetter(
        among ids: [Int64]?, after id: Int64, for claimant: DeadLetterClaimant
    ) async throws(JournalError) -> DeadLetter? {
        try await database.claimDeadLetter(among: ids, after: id, for: claimant)
    }

    public func releaseDeadLetters(
        _ ids: [Int64], of claimant: DeadLetterClaimant
    ) async throws(JournalError) {
        try await database.releaseDeadLetters(ids, of: claimant)
    }

    public func recordRefusal(
        of ids: [Int64], settingsFingerprint: String
    ) async throws(JournalError) {
        try await database.recordRefusal(of: ids, settingsFingerprint: settingsFingerprint)
    }

    public func deadLetterCounts() async throws(JournalError) -> [DeadLetterCount] {
        try await database.deadLetterCounts()
    }

    public func removeDeadLetters(_ ids: [Int64]) async throws(JournalError) {
        try await database.removeDeadLetters(ids)
    }

    public func removeDeadLetters(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int {
        try await database.removeDeadLetters(before: oldest, keeping: bytes, count: count)
    }

    /// Drops a reader of all lanes, its backlog and its dead letters.
    public func dropReader(_ name: String) async throws(JournalError) {
        try await database.dropReader(name)
    }
}

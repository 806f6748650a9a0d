public import CallStacks
public import Ingest

extension LaneJournal: DeadLetterArchive {
    public func deadLetters(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter] {
        try await database.deadLetters(after: id, count: count)
    }

    public func deadLetterSummaries(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetterSummary] {
        try await database.deadLetterSummaries(after: id, count: count)
    }

    /// Returns the dead letters of an exporter to resend automatically, and claims them for the lane.
    public func resendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter] {
        try await database.claimResendableDeadLetters(
            of: exporter, settingsFingerprint: settingsFingerprint, after: id, count: count,
            by: letterClaimant)
    }

    /// Returns dead letters to resend on request, without those that are sent again
    /// automatically, and claims them for this call.
    public func deadLettersToResend(
        _ ids: Set<Int64>?, after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter] {
        try await database.claimDeadLetters(
            ids, after: id, count: count, by: ClusterNode(name: claim.node.name))
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

/// The dead letters of an exporter of a ``StreamJournal``: storing one moves a cursor in that
/// journal. The loops of the node's own journal resend them.
public struct StreamDeadLetters: DeadLetterQueue {
    private let letters: any DeadLetterQueue
    private let journal: StreamJournal

    /// - Parameter letters: The dead letters of the node's own journal.
    public init(_ letters: any DeadLetterQueue, of journal: StreamJournal) {
        self.letters = letters
        self.journal = journal
    }

    public func deadLetter(
        _ letter: DeadLetter, advancingTo number: Int64
    ) async throws(JournalError) {
        // The node's own journal has different entry numbers, so its cursor does not move.
        try await letters.deadLetter(letter, advancingTo: 0)
        try await journal.advance(letter.exporter, to: number)
    }

    public func resendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int,
        for claimant: DeadLetterClaimant
    ) async throws(JournalError) -> [DeadLetter] { [] }

    public func releaseDeadLetters(
        _ ids: [Int64], of claimant: DeadLetterClaimant
    ) async throws(JournalError) {}

    public func recordRefusal(
        of ids: [Int64], settingsFingerprint: String
    ) async throws(JournalError) {
        try await letters.recordRefusal(of: ids, settingsFingerprint: settingsFingerprint)
    }

    public func removeDeadLetters(_ ids: [Int64]) async throws(JournalError) {
        try await letters.removeDeadLetters(ids)
    }
}

/// The archive of the node for a ``StreamJournal``: a dead letter moves a cursor in that journal, and
/// nothing is known of its entries. The loops of the node's own journal resend dead letters.
public struct StreamArchive: DiagnosticArchive {
    let archive: any DiagnosticArchive
    let journal: StreamJournal

    public init(archive: any DiagnosticArchive, journal: StreamJournal) {
        self.archive = archive
        self.journal = journal
    }

    public func deadLetter(
        _ letter: DeadLetter, advancingTo number: Int64
    ) async throws(JournalError) {
        // The node's journal has other numbers, and its cursor stays.
        try await archive.deadLetter(letter, advancingTo: 0)
        try await journal.advance(letter.exporter, to: number)
    }

    public func revisions(ofEntry number: Int64) async throws(JournalError) -> [RevisionState] {
        []
    }

    public func resendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter] { [] }
}

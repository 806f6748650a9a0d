/// The empty set of revisions of a ``StreamJournal``: a request whose diagnostics may be sent again
/// is stored in the node's own journal.
public struct StreamRevisions: RevisionArchive {
    public init() {}

    public func diagnostic(
        _ reference: RevisionReference
    ) async throws(JournalError) -> DiagnosticRecord? { nil }

    public func diagnosticsToRevise(
        at addresses: [RecordAddress]
    ) async throws(JournalError) -> [DiagnosticRecord] { [] }

    public func revisions(ofEntry number: Int64) async throws(JournalError) -> [RevisionState] {
        []
    }

    public func advance(
        _ revisions: [NextRevision], symbolsSeen: Int64
    ) async throws(JournalError) -> Bool { revisions.isEmpty }
}

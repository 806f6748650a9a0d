/// The port to the diagnostics whose records are processed again.
public protocol RevisionArchive: Sendable {
    /// Returns the diagnostic that a revision entry sends again, or `nil` if it was removed.
    func diagnostic(
        _ reference: RevisionReference
    ) async throws(JournalError) -> DiagnosticRecord?

    /// Returns the stored diagnostics among those at some addresses, to be revised: without the
    /// images that they want, which are determined again.
    func diagnosticsToRevise(
        at addresses: [RecordAddress]
    ) async throws(JournalError) -> [DiagnosticRecord]

    /// Returns the revision states of the diagnostics of an entry.
    func revisions(ofEntry number: Int64) async throws(JournalError) -> [RevisionState]

    /// Stores revisions before they are sent, all or none.
    ///
    /// - Parameter symbolsSeen: See ``WorkerCommit/symbolsSeen``.
    /// - Returns: `false` if another revision of a diagnostic was stored after its content was
    ///   computed. That content may be outdated, and has to be recomputed.
    func advance(
        _ revisions: [NextRevision], symbolsSeen: Int64
    ) async throws(JournalError) -> Bool
}

extension RevisionArchive where Self: DiagnosticArchive {
    public func diagnostic(
        _ reference: RevisionReference
    ) async throws(JournalError) -> DiagnosticRecord? {
        switch reference {
        case .address(let address): try await diagnostic(at: address)
        case .uid(let uid): try await diagnostic(uid: uid)
        }
    }
}

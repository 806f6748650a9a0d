public import CallStacks
public import Ingest

extension DiagnosticArchive {
    /// Marks the diagnostics that wait for an image whose symbols have changed.
    ///
    /// - Returns: The number of marked diagnostics.
    public func markAll(waitingFor image: ImageID, _ terms: ResendTerms) async throws -> Int {
        var count = 0
        var step: AwakeningStep
        repeat {
            step = try await stepAwakening(of: image, terms)
            count += step.markedCount
        } while !step.isLast
        return count
    }
}

extension JournalEntry {
    /// The address of the diagnostic that a revision sends again.
    public var address: String {
        switch RevisionReference(draft.body) {
        case .address(let address): address.description
        case .uid(let uid): uid
        }
    }
}

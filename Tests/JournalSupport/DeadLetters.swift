public import Ingest

extension DeadLetterArchive {
    /// Returns all dead letters after one, in the order of their ids, and claims none of them.
    public func deadLetters(after id: Int64 = 0) async throws(JournalError) -> [DeadLetter] {
        let claimant = DeadLetterClaimant()
        var letters: [DeadLetter] = []
        while let letter = try await claimDeadLetter(
            among: nil, after: letters.last?.id ?? id, for: claimant)
        {
            letters.append(letter)
        }
        try await releaseDeadLetters(letters.map(\.id), of: claimant)
        return letters
    }
}

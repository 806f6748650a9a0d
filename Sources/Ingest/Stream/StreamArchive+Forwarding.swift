public import CallStacks

/// What is the same for every journal of the node.
extension StreamArchive {
    public func diagnostics(_ query: DiagnosticQuery) async throws(JournalError)
        -> [DiagnosticRecord]
    { try await archive.diagnostics(query) }

    public func count(_ query: DiagnosticQuery) async throws(JournalError) -> Int {
        try await archive.count(query)
    }

    public func diagnostic(uid: String, app: String?) async throws(JournalError)
        -> DiagnosticRecord?
    { try await archive.diagnostic(uid: uid, app: app) }

    public func diagnostic(at address: RecordAddress) async throws(JournalError)
        -> DiagnosticRecord?
    { try await archive.diagnostic(at: address) }

    public func diagnosticsToRevise(at addresses: [RecordAddress]) async throws(JournalError)
        -> [DiagnosticRecord]
    { try await archive.diagnosticsToRevise(at: addresses) }

    public func advance(_ revisions: [NextRevision], symbolsSeen: Int64) async throws(JournalError)
        -> Bool
    { try await archive.advance(revisions, symbolsSeen: symbolsSeen) }

    public func missingImages(_ query: MissingQuery) async throws(JournalError) -> [MissingImage] {
        try await archive.missingImages(query)
    }

    public func missingImages(_ query: MissingListQuery) async throws(JournalError)
        -> [ListedMissingImage]
    { try await archive.missingImages(query) }

    public func missingSummary(_ query: MissingQuery) async throws(JournalError) -> MissingSummary {
        try await archive.missingSummary(query)
    }

    public func incompleteVersions(_ query: MissingQuery) async throws(JournalError)
        -> [IncompleteVersion]
    { try await archive.incompleteVersions(query) }

    public func awaitedImages(after last: AwaitedImage?, count: Int) async throws(JournalError)
        -> [AwaitedImage]
    { try await archive.awaitedImages(after: last, count: count) }

    public func awakenedImages() async throws(JournalError) -> [ImageID] {
        try await archive.awakenedImages()
    }

    public func stepAwakening(of image: ImageID, _ terms: ResendTerms) async throws(JournalError)
        -> AwakeningStep
    { try await archive.stepAwakening(of: image, terms) }

    public func enqueueDue(count: Int, now: UnixTime) async throws(JournalError) -> [JournalEntry] {
        try await archive.enqueueDue(count: count, now: now)
    }

    public func removeDiagnostics(before oldest: UnixTime, keeping bytes: Int64, count: Int)
        async throws(JournalError) -> Int
    { try await archive.removeDiagnostics(before: oldest, keeping: bytes, count: count) }

    public func deadLetters(after id: Int64, count: Int) async throws(JournalError) -> [DeadLetter]
    { try await archive.deadLetters(after: id, count: count) }

    public func deadLetterSummaries(after id: Int64, count: Int) async throws(JournalError)
        -> [DeadLetterSummary]
    { try await archive.deadLetterSummaries(after: id, count: count) }

    public func deadLettersToResend(_ ids: Set<Int64>?, after id: Int64, count: Int)
        async throws(JournalError) -> [DeadLetter]
    { try await archive.deadLettersToResend(ids, after: id, count: count) }

    public func recordRefusal(of ids: [Int64], settingsFingerprint: String)
        async throws(JournalError)
    { try await archive.recordRefusal(of: ids, settingsFingerprint: settingsFingerprint) }

    public func deadLetterCounts() async throws(JournalError) -> [DeadLetterCount] {
        try await archive.deadLetterCounts()
    }

    public func removeDeadLetters(_ ids: [Int64]) async throws(JournalError) {
        try await archive.removeDeadLetters(ids)
    }

    public func removeDeadLetters(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int {
        try await archive.removeDeadLetters(before: oldest, keeping: bytes, count: count)
    }
}

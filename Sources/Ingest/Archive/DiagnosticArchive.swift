public import CallStacks

/// The port to stored diagnostics, the images that they wait for, and re-sends.
public protocol DiagnosticArchive: Sendable {
    func diagnostics(_ query: DiagnosticQuery) async throws(JournalError) -> [DiagnosticRecord]

    /// Returns the number of diagnostics in a list, at most its limit.
    func count(_ query: DiagnosticQuery) async throws(JournalError) -> Int

    /// Returns the diagnostics next to the one at an address, in one read. The limit and the ends of
    /// the query are ignored.
    func neighbours(
        of address: RecordAddress, in query: DiagnosticQuery
    ) async throws(JournalError) -> DiagnosticNeighbours

    /// Returns the newest diagnostic with an identifier, as shown in lists.
    ///
    /// - Parameter app: The app of the diagnostic, or `nil` for any app.
    func diagnostic(uid: String, app: String?) async throws(JournalError) -> DiagnosticRecord?

    func diagnostic(at address: RecordAddress) async throws(JournalError) -> DiagnosticRecord?

    /// Returns the images that diagnostics wait for, those with the most diagnostics first.
    func missingImages(_ query: MissingQuery) async throws(JournalError) -> [MissingImage]

    /// Returns one page of the images that diagnostics wait for, with their positions in the list.
    func missingImages(
        _ query: MissingListQuery
    ) async throws(JournalError) -> [ListedMissingImage]

    /// Counts the images that diagnostics wait for. The limit of the query is ignored.
    func missingSummary(_ query: MissingQuery) async throws(JournalError) -> MissingSummary

    /// Returns the versions whose diagnostics wait for symbols of the app's own images, those with
    /// the most diagnostics first. The scope of the query is ignored.
    func incompleteVersions(
        _ query: MissingQuery
    ) async throws(JournalError) -> [IncompleteVersion]

    /// Returns the images that diagnostics wait for, in the order of their bytes, so that all of
    /// them can be visited.
    ///
    /// - Parameter last: The image after which to continue.
    func awaitedImages(
        after last: AwaitedImage?, count: Int
    ) async throws(JournalError) -> [AwaitedImage]

    /// Returns the images whose symbols have changed and whose waiting diagnostics need more steps.
    func awakenedImages() async throws(JournalError) -> [ImageID]

    /// Marks some of the diagnostics that wait for an image of ``awakenedImages()``, so that they
    /// are sent again when they are due, or at the later time if they are already marked. They no
    /// longer wait for the image. Those that are too old for the terms only stop waiting.
    ///
    /// If the terms exclude system images, the diagnostics that wait for one are not marked. If all
    /// its symbols are stored, they wait again only when these are removed.
    ///
    /// A step is short, however many diagnostics wait. It can follow the previous one in another
    /// process.
    func stepAwakening(
        of image: ImageID, _ terms: ResendTerms
    ) async throws(JournalError) -> AwakeningStep

    /// Appends an entry of ``EntryKind/revision`` for each diagnostic that is due to be sent again or
    /// whose hold has ended, at most `count`, earliest first.
    ///
    /// The write that appends an entry removes the mark and turns a held diagnostic into
    /// ``DiagnosticRecord/State/released``.
    ///
    /// - Returns: The appended entries.
    func enqueueDue(count: Int, now: UnixTime) async throws(JournalError) -> [JournalEntry]

    /// Removes diagnostics that arrived before `oldest`, then the oldest ones while the entries of
    /// diagnostics take more than `bytes`; at most `count` at a time.
    ///
    /// Held diagnostics are kept, and so are marked ones, except by archives that remove whole
    /// days, which discard the marks. All others stay until every reader has passed their entries
    /// and the entries that send them again, because a sent revision must be stored for as long as
    /// it may be replayed.
    ///
    /// - Returns: The number of removed diagnostics.
    func removeDiagnostics(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int
}

extension DiagnosticArchive {
    /// Returns the newest diagnostic of any app with an identifier, as shown in lists.
    public func diagnostic(uid: String) async throws(JournalError) -> DiagnosticRecord? {
        try await diagnostic(uid: uid, app: nil)
    }
}

public import CallStacks
public import Ingest
import PostgreSQL

/// The archive of all lanes, as the node of a lane uses it.
extension LaneJournal: DiagnosticArchive {
    public func diagnostics(
        _ query: DiagnosticQuery
    ) async throws(JournalError) -> [DiagnosticRecord] {
        try await database.diagnostics(query)
    }

    public func count(_ query: DiagnosticQuery) async throws(JournalError) -> Int {
        try await database.count(query)
    }

    public func neighbours(
        of address: RecordAddress, in query: DiagnosticQuery
    ) async throws(JournalError) -> DiagnosticNeighbours {
        try await database.neighbours(of: address, in: query)
    }

    public func diagnostic(
        uid: String, app: String?
    ) async throws(JournalError) -> DiagnosticRecord? {
        try await database.diagnostic(uid: uid, app: app)
    }

    public func diagnostic(
        at address: RecordAddress
    ) async throws(JournalError) -> DiagnosticRecord? {
        try await database.diagnostic(at: address)
    }

    public func missingImages(_ query: MissingQuery) async throws(JournalError) -> [MissingImage] {
        try await database.missingImages(query)
    }

    public func missingImages(
        _ query: MissingListQuery
    ) async throws(JournalError) -> [ListedMissingImage] {
        try await database.missingImages(query)
    }

    public func missingSummary(
        _ query: MissingQuery
    ) async throws(JournalError) -> MissingSummary {
        try await database.missingSummary(query)
    }

    public func incompleteVersions(
        _ query: MissingQuery
    ) async throws(JournalError) -> [IncompleteVersion] {
        try await database.incompleteVersions(query)
    }

    public func awaitedImages(
        after last: AwaitedImage?, count: Int
    ) async throws(JournalError) -> [AwaitedImage] {
        try await database.awaitedImages(after: last, count: count)
    }

    public func awakenedImages() async throws(JournalError) -> [ImageID] {
        try await database.awakenedImages()
    }

    /// Removes the diagnostics of the oldest day if all of them arrived before `oldest`, or if
    /// archived entries take more than `bytes`, and none of them is still needed, see
    /// ``Ingest/DiagnosticArchive/removeDiagnostics(before:keeping:count:)``. Their archived
    /// entries go with them. Also removes unused rows of other tables, see ``ExpiredRowRemoval``.
    ///
    /// - Parameter count: Unused, because a day is removed as a whole.
    public func removeDiagnostics(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int {
        let removal = try await asJournal {
            let days = DayRemoval(pool: database.pool)
            let removal = try await days.removeOldest(before: oldest, keeping: bytes)
            try await ExpiredRowRemoval(pool: database.pool, payloadKeyAge: options.payloadKeyAge)
                .runIfDue()
            return removal
        }
        if !removal.objects.isEmpty { await options.archive?.delete(removal.objects) }
        return removal.diagnosticCount
    }
}

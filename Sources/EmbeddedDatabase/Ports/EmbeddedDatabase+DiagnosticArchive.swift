public import CallStacks
import GRDB
public import Ingest

extension EmbeddedDatabase: DiagnosticArchive {
    /// The maximum number of diagnostics that one write enqueues. Requests wait while it runs.
    private static let enqueuedAtOnce = 32

    public func diagnostics(
        _ query: DiagnosticQuery
    ) async throws(JournalError) -> [DiagnosticRecord] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DiagnosticTable(db).diagnostics(query) }
        }
    }

    public func count(_ query: DiagnosticQuery) async throws(JournalError) -> Int {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DiagnosticTable(db).count(query) }
        }
    }

    public func neighbours(
        of address: RecordAddress, in query: DiagnosticQuery
    ) async throws(JournalError) -> DiagnosticNeighbours {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DiagnosticTable(db).neighbours(of: address, in: query) }
        }
    }

    public func diagnostic(
        uid: String, app: String?
    ) async throws(JournalError) -> DiagnosticRecord? {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DiagnosticTable(db).diagnostic(uid: uid, app: app) }
        }
    }

    public func diagnostic(at address: RecordAddress) async throws(JournalError)
        -> DiagnosticRecord?
    {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DiagnosticTable(db).diagnostic(at: address) }
        }
    }

    public func missingImages(_ query: MissingQuery) async throws(JournalError) -> [MissingImage] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try MissingImageTable(db).missing(query) }
        }
    }

    public func missingImages(
        _ query: MissingListQuery
    ) async throws(JournalError) -> [ListedMissingImage] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try MissingImageTable(db).list(query) }
        }
    }

    public func missingSummary(
        _ query: MissingQuery
    ) async throws(JournalError) -> MissingSummary {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try MissingImageTable(db).summary(query) }
        }
    }

    public func incompleteVersions(
        _ query: MissingQuery
    ) async throws(JournalError) -> [IncompleteVersion] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try MissingImageTable(db).incompleteVersions(query) }
        }
    }

    public func awaitedImages(
        after last: AwaitedImage?, count: Int
    ) async throws(JournalError) -> [AwaitedImage] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try MissingImageTable(db).awaited(after: last, count: count) }
        }
    }

    public func awakenedImages() async throws(JournalError) -> [ImageID] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try MissingImageTable(db).awakened() }
        }
    }

    public func stepAwakening(
        of image: ImageID, _ terms: ResendTerms
    ) async throws(JournalError) -> AwakeningStep {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try MissingImageTable(db).stepAwakening(of: image, terms)
            }
        }
    }

    public func enqueueDue(count: Int, now: UnixTime) async throws(JournalError) -> [JournalEntry] {
        let chunks = try await inChunks(of: count, atMost: Self.enqueuedAtOnce) { db, count in
            try DiagnosticTable(db).enqueueDue(count: count, now: now)
        } size: {
            $0.count
        }
        return chunks.flatMap(\.self)
    }

    public func removeDiagnostics(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int {
        let space = space
        return try await inChunks(of: count) { db, count in
            let freePages = try FreePages(db, space.limits).byteCount()
            return try DiagnosticTable(db).remove(
                before: oldest, keeping: bytes,
                isSpaceScarce: space.isScarce(reusing: freePages), count: count)
        }
    }
}

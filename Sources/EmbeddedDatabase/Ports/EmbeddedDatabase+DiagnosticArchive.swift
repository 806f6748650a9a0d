public import CallStacks
import Decompression
import GRDB
public import Ingest

extension EmbeddedDatabase: DiagnosticArchive {
    /// The number of diagnostics that one write enqueues. Requests wait for it.
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

    public func diagnosticsToRevise(
        at addresses: [RecordAddress]
    ) async throws(JournalError) -> [DiagnosticRecord] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in
                try addresses.compactMap { try DiagnosticTable(db).diagnosticToRevise(at: $0) }
            }
        }
    }

    public func revisions(
        ofEntry number: Int64
    ) async throws(JournalError) -> [RevisionState] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DiagnosticTable(db).revisions(ofEntry: number) }
        }
    }

    public func advance(
        _ revisions: [NextRevision], symbolsSeen: Int64
    ) async throws(JournalError) -> Bool {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try DiagnosticTable(db).advance(revisions, symbolsSeen: symbolsSeen)
            }
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

    public func deadLetters(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter] {
        try await letters(count) { db in try DeadLetterTable(db).letters(after: id, count: count) }
    }

    public func deadLetterSummaries(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetterSummary] {
        guard count > 0 else { return [] }
        return try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DeadLetterTable(db).summaries(after: id, count: count) }
        }
    }

    public func resendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter] {
        try await letters(count) { db in
            try DeadLetterTable(db).resendable(
                of: exporter, settingsFingerprint: settingsFingerprint, after: id, count: count)
        }
    }

    private func letters(
        _ count: Int, _ find: @escaping @Sendable (Database) throws -> [DeadLetterTable.Stored]
    ) async throws(JournalError) -> [DeadLetter] {
        guard count > 0 else { return [] }
        return try await asJournal { () async throws(DatabaseProblem) in
            var letters: [DeadLetter] = []
            for letter in try await read(find) { letters.append(try letter.letter()) }
            return letters
        }
    }

    public func recordRefusal(
        of ids: [Int64], settingsFingerprint: String
    ) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try DeadLetterTable(db).recordRefusal(
                    of: ids, settingsFingerprint: settingsFingerprint)
            }
        }
    }

    public func deadLetterCounts() async throws(JournalError) -> [DeadLetterCount] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DeadLetterTable(db).counts() }
        }
    }

    public func deadLetter(_ letter: DeadLetter, advancingTo number: Int64)
        async throws(JournalError)
    {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write(
                bytes: letter.body.count,
                prepare: { () throws(DatabaseProblem) in try PackedBody(packing: letter.body) }
            ) { db, body in
                try DeadLetterTable(db).add(letter, body)
                try JournalTable(db).advance(letter.exporter, to: number)
            }
        }
    }

    public func removeDeadLetters(_ ids: [Int64]) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try DeadLetterTable(db).remove(ids) }
        }
    }

    public func removeDeadLetters(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int {
        try await inChunks(of: count) { db, count in
            try DeadLetterTable(db).remove(before: oldest, keeping: bytes, count: count)
        }
    }
}

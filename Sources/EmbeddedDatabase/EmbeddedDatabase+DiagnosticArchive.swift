public import CallStacks
import GRDB
public import Ingest
public import SymbolIntake

extension EmbeddedDatabase: DiagnosticArchive {
    public func diagnostics(
        _ query: DiagnosticQuery
    ) async throws(JournalError) -> [DiagnosticRow] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DiagnosticRows(db).rows(query) }
        }
    }

    public func diagnostic(
        uid: String, app: String?
    ) async throws(JournalError) -> DiagnosticRow? {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DiagnosticRows(db).row(uid: uid, app: app) }
        }
    }

    public func diagnostic(at place: RecordPlace) async throws(JournalError) -> DiagnosticRow? {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DiagnosticRows(db).row(at: place) }
        }
    }

    public func revisions(
        ofEntry number: Int64
    ) async throws(JournalError) -> [KnownRevision] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DiagnosticRows(db).revisions(ofEntry: number) }
        }
    }

    public func advance(_ steps: [RevisionStep]) async throws(JournalError) -> Bool {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try DiagnosticRows(db).advance(steps) }
        }
    }

    public func isKnown(payload key: EntryKey) async throws(JournalError) -> Bool {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in
                try JournalRows(db).isKnown(payload: key) || FigureRows(db).isKnown(key)
            }
        }
    }

    public func missingImages(_ query: MissingQuery) async throws(JournalError) -> [MissingImage] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try WaitRows(db).missing(query) }
        }
    }

    public func awaitedImages(
        after last: AwaitedImage?, count: Int
    ) async throws(JournalError) -> [AwaitedImage] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try WaitRows(db).awaited(after: last, count: count) }
        }
    }

    public func wake(
        waitingFor image: ArrivedImage, since oldest: UnixTime, due: UnixTime
    ) async throws(JournalError) -> Int {
        try await asJournal { () async throws(DatabaseProblem) in
            var count = 0
            while true {
                let step = try await writer.write { db in
                    try WaitRows(db).awaken(image, since: oldest, due: due)
                }
                count += step.marked
                if step.isLast { return count }
            }
        }
    }

    public func takeUp(count: Int, now: UnixTime) async throws(JournalError) -> [JournalEntry] {
        guard count > 0 else { return [] }
        return try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try DiagnosticRows(db).takeUp(count: count, now: now) }
        }
    }

    public func removeDiagnostics(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int {
        let space = space
        return try await inChunks(of: count) { db, count in
            let freePages = try FreePages(db, space.bounds).byteCount()
            return try DiagnosticRows(db).remove(
                before: oldest, keeping: bytes,
                makingRoom: space.isScarce(reusing: freePages), count: count)
        }
    }

    public func deadLetters(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter] {
        try await letters(count) { db in try DeadLetterRows(db).letters(after: id, count: count) }
    }

    public func resendableDeadLetters(
        of exporter: String, settingsMark: String, after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter] {
        try await letters(count) { db in
            try DeadLetterRows(db).resendable(
                of: exporter, settingsMark: settingsMark, after: id, count: count)
        }
    }

    private func letters(
        _ count: Int, _ find: @escaping @Sendable (Database) throws -> [DeadLetterRows.Stored]
    ) async throws(JournalError) -> [DeadLetter] {
        guard count > 0 else { return [] }
        return try await asJournal { () async throws(DatabaseProblem) in
            var letters: [DeadLetter] = []
            for letter in try await read(find) { letters.append(try letter.letter()) }
            return letters
        }
    }

    public func noteRefusal(
        of ids: [Int64], settingsMark: String
    ) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try DeadLetterRows(db).noteRefusal(of: ids, settingsMark: settingsMark)
            }
        }
    }

    public func deadLetterCounts() async throws(JournalError) -> [DeadLetterCount] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DeadLetterRows(db).counts() }
        }
    }

    public func bury(_ letter: DeadLetter, movingTo number: Int64) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write(
                bytes: letter.body.count,
                prepare: { () throws(DatabaseProblem) in try StoredBody(letter.body) }
            ) { db, body in
                try DeadLetterRows(db).add(letter, body)
                try JournalRows(db).move(letter.exporter, to: number)
            }
        }
    }

    public func removeDeadLetters(_ ids: [Int64]) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try DeadLetterRows(db).remove(ids) }
        }
    }

    public func removeDeadLetters(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int {
        try await inChunks(of: count) { db, count in
            try DeadLetterRows(db).remove(before: oldest, keeping: bytes, count: count)
        }
    }
}

import GRDB
public import Ingest

extension EmbeddedDatabase: Journal {
    public func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64] {
        guard !drafts.isEmpty else { return [] }
        let bytes = drafts.reduce(0) { $0 + $1.body.count }
        return try await asJournal { () async throws(DatabaseProblem) in
            try space.take(Int64(bytes), unworkedBytes: latestBacklog.worker.bytes)
            defer { space.giveBack(Int64(bytes)) }
            return try await writer.write(
                bytes: bytes,
                prepare: { () throws(DatabaseProblem) in
                    var stored: [StoredDraft] = []
                    for draft in drafts { stored.append(try StoredDraft(draft)) }
                    return stored
                },
                { db, stored in try JournalRows(db).append(stored) },
                kept: { [recent] numbers in recent.add(drafts, numbers: numbers) })
        }
    }

    public func entries(
        after number: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        guard count > 0 else { return [] }
        if writer.isClosed { throw JournalError(.closed) }
        let recent = recent.entries(after: number, count: count, bytes: bytes)
        if !recent.isEmpty { return recent }
        return try await asJournal { () async throws(DatabaseProblem) in
            let stored = try await read { db in
                try JournalRows(db).entries(after: number, count: count, bytes: bytes)
            }
            var entries: [JournalEntry] = []
            for entry in stored { entries.append(try entry.entry()) }
            return entries
        }
    }

    public func entry(_ number: Int64) async throws(JournalError) -> JournalEntry? {
        guard number > 0 else { return nil }
        let next = try await entries(after: number - 1, count: 1, bytes: 0).first
        return next?.number == number ? next : nil
    }

    public func place(of reader: String) async throws(JournalError) -> Int64 {
        try await asJournal { () async throws(DatabaseProblem) in
            if let place = try await read({ db in try JournalRows(db).place(of: reader) }) {
                return place
            }
            return try await writer.write { db in try JournalRows(db).placeOrEnd(of: reader) }
        }
    }

    public func readers() async throws(JournalError) -> [ReaderStatus] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try ReaderRows(db).all() }
        }
    }

    public func settle(_ settlement: ReaderSettlement) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try ReaderRows(db).settle(settlement) }
        }
    }

    /// Gives a reader up: what waits for it and its dead letters.
    public func dropReader(_ name: String) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try ReaderRows(db).remove(name)
                try DeadLetterRows(db).remove(of: name)
            }
        }
    }

    public func waiting(for reader: String) async throws(JournalError) -> Backlog {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try JournalRows(db).waiting(for: reader) }
        }
    }

    public func trimUnsent(keeping bytes: Int64) async throws(JournalError) -> Backlog {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try ReaderRows(db).trimUnsent(keeping: bytes) }
        }
    }

    public func move(_ reader: String, to number: Int64) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try JournalRows(db).move(reader, to: number) }
        }
        if reader == JournalReaders.worker { recent.drop(upTo: number) }
    }

    public func commit(_ work: WorkedBatch) async throws(JournalError) {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in
                guard try DiagnosticRows(db).hold(work.expected) else {
                    throw DatabaseProblem.overtaken
                }
                try DiagnosticRows(db).keep(work)
                try FigureRows(db).keep(work.payloads)
                try JournalRows(db).move(JournalReaders.worker, to: work.lastNumber)
            }
        }
        recent.drop(upTo: work.lastNumber)
    }

    public func backlog() async throws(JournalError) -> Backlog {
        if writer.isClosed { throw JournalError(.closed) }
        return latestBacklog.all
    }

    public func workerBacklog() async throws(JournalError) -> WorkerBacklog {
        if writer.isClosed { throw JournalError(.closed) }
        return latestBacklog.worker
    }

    public func checkFreeSpace() async throws(JournalError) {
        do throws(DatabaseProblem) {
            try space.check(unworkedBytes: latestBacklog.worker.bytes)
        } catch { throw JournalError(error) }
    }

    public func removePassed(count: Int) async throws(JournalError) -> Int {
        let bounds = space.bounds
        let removed = try await inChunks(of: count) { db, count in
            let removed = try Sweep(db).removePassed(count: count)
            try FreePages(db, bounds).giveBack()
            return removed
        }
        while space.isScarce, try await givesBackPages() {}
        return removed
    }

    /// Gives more pages back.
    ///
    /// - Returns: Whether there were any.
    private func givesBackPages() async throws(JournalError) -> Bool {
        let bounds = space.bounds
        return try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in try FreePages(db, bounds).giveBack() }
        }
    }

    /// Runs a removal in transactions of a bounded length, so that appends come between.
    func inChunks(
        of count: Int, _ body: @escaping @Sendable (Database, Int) throws -> Int
    ) async throws(JournalError) -> Int {
        var done = 0
        while done < count {
            let chunk = min(count - done, 500)
            let step = try await asJournal { () async throws(DatabaseProblem) in
                try await writer.write { db in try body(db, chunk) }
            }
            done += step
            if step < chunk { break }
        }
        return done
    }

    func asJournal<Value>(
        _ body: () async throws(DatabaseProblem) -> Value
    ) async throws(JournalError) -> Value {
        do {
            return try await body()
        } catch {
            throw JournalError(error)
        }
    }
}

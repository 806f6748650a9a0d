import CallStacks
public import Ingest
import PostgreSQL
import Synchronization

extension LaneJournal {
    /// Returns the number of the last entry that `reader` has finished. A new reader starts after
    /// the last entry. The worker is never new, and starts before the first one.
    public func cursor(of reader: String) async throws(JournalError) -> Int64 {
        try await asJournal {
            if let cursor = try await storedCursor(of: reader) { return cursor }
            let name = Parameter.value(reader, .text)
            defer { slowestReader.forget() }
            return try await fenced { transaction in
                _ = try await transaction.execute(
                    try Statement(
                        """
                        INSERT INTO reader (lane, name, place, passed)
                        SELECT id, $2, tail, total FROM lane WHERE id = $1 ON CONFLICT DO NOTHING
                        """, [.value(lane.rawValue, .int2), name]))
                let stored = try await transaction.execute(try cursorStatement(of: reader))
                guard let row = stored.first else {
                    throw JournalError.damage("reader '\(reader)'")
                }
                return try row.value(0, .int8)
            }
        }
    }

    private func storedCursor(of reader: String) async throws -> Int64? {
        let statement = try cursorStatement(of: reader)
        let results = try await database.pool.transact(
            [statement], TransactionOptions(isReadOnly: true))
        return try results.first?.first?.value(0, .int8)
    }

    private func cursorStatement(of reader: String) throws -> Statement {
        try Statement(
            "SELECT place, passed FROM reader WHERE lane = $1 AND name = $2",
            [.value(lane.rawValue, .int2), .value(reader, .text)])
    }

    /// Moves the cursor of `reader` to `number`, but never back and never past the last entry.
    public func advance(_ reader: String, to number: Int64) async throws(JournalError) {
        try await advance(reader, to: number, with: [])
    }

    /// Moves a cursor in one transaction with other statements, which must check the claim in `$1`
    /// and `$2` themselves.
    func advance(
        _ reader: String, to number: Int64, with statements: [Statement]
    ) async throws(JournalError) {
        try await asJournal {
            let results = try await database.pool.transact(
                [try fence(), try advancement(of: reader, to: number)] + statements)
            guard results.first?.count == 1 else { throw JournalError.lost(lane) }
            slowestReader.moved(reader)
            if reader == JournalReaders.worker, let moved = results[1].first {
                try recordWorkerCursor(moved)
            }
        }
        if reader == JournalReaders.worker { recent.drop(upTo: number) }
    }

    /// The statement that moves a cursor if the claim is valid.
    func advancement(of reader: String, to number: Int64) throws -> Statement {
        try Statement(
            """
            INSERT INTO reader (lane, name, place, passed)
            SELECT id, $3, least($4, tail), CASE WHEN $4 >= tail THEN total ELSE coalesce(
                (SELECT e.total FROM entry e WHERE e.number = $4),
                (SELECT min(passed) FROM reader WHERE lane = $1), 0) END
            FROM lane WHERE id = $1 AND epoch = $2
            ON CONFLICT (lane, name) DO UPDATE
            SET place = excluded.place, passed = excluded.passed
            WHERE excluded.place > reader.place RETURNING place, passed
            """,
            claimParameters + [.value(reader, .text), .value(number, .int8)])
    }

    /// Returns the entries that a reader has not finished.
    public func backlog(of reader: String) async throws(JournalError) -> Backlog {
        try await backlog(
            where: "r.name = $2", [.value(lane.rawValue, .int2), .value(reader, .text)])
    }

    /// Returns the backlog of the slowest reader other than ``JournalReaders/unsent``, which is
    /// usually known without a query.
    public func backlog() async throws(JournalError) -> Backlog {
        if let known = slowestReader.backlog(to: end.last, readers: database.readerChanges) {
            return known
        }
        let (moves, changes) = (slowestReader.moves, database.readerChanges)
        return try await asJournal {
            let rows = try await database.read(
                """
                SELECT \(Self.backlogColumns), r.place, r.passed
                FROM reader r JOIN lane l ON l.id = r.lane WHERE r.lane = $1 AND r.name <> $2
                ORDER BY r.place, r.name <> $3, r.name COLLATE "C" LIMIT 1
                """,
                [
                    .value(lane.rawValue, .int2), .value(JournalReaders.unsent, .text),
                    .value(JournalReaders.worker, .text),
                ])
            guard let row = rows.first else { return Backlog() }
            let backlog = try Self.backlog(row)
            slowestReader.record(
                try row.value(0, .text), backlog,
                at: LanePosition(
                    number: try row.value(4, .int8), total: try row.value(5, .int8)),
                afterMoves: moves, readers: changes)
            return backlog
        }
    }

    private func backlog(
        where condition: String, _ parameters: [Parameter]
    ) async throws(JournalError) -> Backlog {
        try await asJournal {
            let rows = try await database.read(
                """
                SELECT \(Self.backlogColumns) FROM reader r JOIN lane l ON l.id = r.lane
                WHERE r.lane = $1 AND \(condition) LIMIT 1
                """, parameters)
            return try rows.first.map { try Self.backlog($0) } ?? Backlog()
        }
    }

    /// The columns that ``backlog(_:)`` reads.
    static let backlogColumns = """
        r.name, l.tail - r.place, l.total - r.passed, (
            SELECT e.arrival FROM entry e WHERE e.number = r.place + 1)
        """

    static func backlog(_ row: Row) throws -> Backlog {
        let count = try row.value(1, .int8)
        guard count > 0 else { return Backlog() }
        return Backlog(
            bytes: try row.value(2, .int8), count: count,
            oldest: try row.optional(3, .int8).map { UnixTime(rawValue: $0) },
            reader: try row.value(0, .text))
    }

    /// Returns the backlog of the worker, which is usually known without a query.
    public func workerBacklog() async throws(JournalError) -> WorkerBacklog {
        if let backlog = knownWorkerBacklog { return backlog }
        return try await asJournal {
            let rows = try await database.read(
                """
                SELECT r.place, r.passed, l.tail, l.total
                FROM reader r JOIN lane l ON l.id = r.lane WHERE r.lane = $1 AND r.name = $2
                """, [.value(lane.rawValue, .int2), .value(JournalReaders.worker, .text)])
            guard let row = rows.first else { return WorkerBacklog() }
            let cursor = try recordWorkerCursor(row)
            return WorkerBacklog(
                bytes: try row.value(3, .int8) - cursor.total,
                count: try row.value(2, .int8) - cursor.number, processedBytes: cursor.total)
        }
    }

    private var knownWorkerBacklog: WorkerBacklog? {
        guard let cursor = workerCursor.withLock(\.self), let last = end.last else { return nil }
        return WorkerBacklog(
            bytes: max(last.total - cursor.total, 0), count: max(last.number - cursor.number, 0),
            processedBytes: cursor.total)
    }

    /// Caches the worker's cursor from the first columns of a row. The cached cursor never moves
    /// back.
    @discardableResult
    func recordWorkerCursor(_ row: Row) throws -> LanePosition {
        let read = LanePosition(number: try row.value(0, .int8), total: try row.value(1, .int8))
        workerCursor.withLock { known in
            if known.map({ $0.number < read.number }) ?? true { known = read }
        }
        return read
    }
}

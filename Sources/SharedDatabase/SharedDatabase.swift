public import CallStacks
public import Ingest
public import PostgreSQL
import Synchronization

/// The queues of several nodes, their diagnostics and the catalogue in one PostgreSQL database.
///
/// Each node appends to its own lane, see ``LaneJournal``. A lane whose node has gone is adopted by
/// another node, see ``Lanes``. Works through a transaction pooler: nothing depends on a session.
public final class SharedDatabase: Sendable {
    let pool: ConnectionPool
    let days: DayPartitions
    let missingImages: MissingImageNumbers
    /// The number of readers that this process has dropped.
    let removedReaders = Mutex(0)

    /// Connects, and creates or migrates the tables.
    ///
    /// - Parameter migrates: Whether the tables may be changed.
    /// - Throws: `JournalError` if the database cannot be used, or if its tables belong to another
    ///   program, have an incompatible version, or need a migration that is not permitted.
    public init(
        _ settings: ConnectionSettings, limits: PoolLimits = PoolLimits(), migrates: Bool = true
    ) async throws(JournalError) {
        do {
            pool = try ConnectionPool(settings, limits: limits)
        } catch {
            throw JournalError(error)
        }
        days = DayPartitions(pool)
        missingImages = MissingImageNumbers(pool)
        do {
            try await Migration(pool).run(isPermitted: migrates)
        } catch {
            await pool.close()
            throw JournalError(error)
        }
    }

    /// Waits until running transactions have ended, and closes all connections. Later calls throw
    /// `JournalError` with the reason `closed`.
    public func close() async { await pool.close() }

    /// Returns the size of the whole database, in bytes.
    public func byteCount() async throws(JournalError) -> Int64 {
        try await asJournal {
            try await read("SELECT pg_database_size(current_database())").first?.value(0, .int8)
                ?? 0
        }
    }

    /// Returns the stored size of the entries in each lane that some reader has not finished, in
    /// bytes.
    public func waitingBytes() async throws(JournalError) -> [LaneNumber: Int64] {
        try await asJournal {
            let rows = try await read(
                """
                SELECT l.id, l.total - coalesce((
                    SELECT min(passed) FROM reader WHERE lane = l.id), 0) FROM lane l
                """)
            var bytes: [LaneNumber: Int64] = [:]
            for row in rows {
                bytes[LaneNumber(rawValue: try row.value(0, .int2))] = try row.value(1, .int8)
            }
            return bytes
        }
    }

    /// Returns, for each reader except the worker, the arrival of the oldest entry in any lane that
    /// it has not finished. Readers without such an entry are absent.
    public func oldestArrivals() async throws(JournalError) -> [String: UnixTime] {
        try await asJournal {
            let rows = try await read(
                """
                SELECT r.name, min((SELECT e.arrival FROM entry e WHERE e.number = r.place + 1))
                FROM reader r JOIN lane l ON l.id = r.lane
                WHERE r.name <> $1 AND r.place < l.tail GROUP BY r.name
                """, [.value(JournalReaders.worker, .text)])
            var arrivals: [String: UnixTime] = [:]
            for row in rows {
                let arrival = try row.optional(1, .int8)
                arrivals[try row.value(0, .text)] = arrival.map { UnixTime(rawValue: $0) }
            }
            return arrivals
        }
    }

    var readerChanges: Int { removedReaders.withLock(\.self) }

    /// Executes a query in a transaction of its own.
    func read(
        _ text: String, _ parameters: [Parameter] = [], limit: ResultLimit = .standard
    ) async throws -> QueryResult {
        try await read(try Statement(text, parameters, limit: limit))
    }

    func read(_ statement: Statement) async throws -> QueryResult {
        try await pool.transact([statement], TransactionOptions(isReadOnly: true)).last
            ?? QueryResult()
    }

    /// Executes a writing statement in its own transaction.
    ///
    /// - Returns: Its rows, and their number.
    @discardableResult
    func write(_ text: String, _ parameters: [Parameter] = []) async throws -> QueryResult {
        try await pool.transact([try Statement(text, parameters)]).last ?? QueryResult()
    }
}

/// Runs `body`, and converts its errors to journal errors.
@discardableResult
func asJournal<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async throws(JournalError) -> Value {
    do {
        return try await body()
    } catch {
        throw JournalError(error)
    }
}

import CallStacks
import Decompression
import Ingest
import PostgreSQL
import Synchronization
import TaskCoordination

/// The end of a lane, where its owner appends. Appends run one at a time.
///
/// An append specifies the number that it follows. So if the server executes a statement of a lost
/// connection late, it has no effect if another append was executed in the meantime, and no number
/// is used twice.
final class LaneEnd: Sendable {
    private struct State {
        /// `nil` after an append whose outcome is unknown.
        var position: LanePosition?
        var isLost = false
    }

    /// The lane, read after an append was cut off.
    private struct Found {
        var position: LanePosition
        var isOwned: Bool
        /// The key of the last entry of the append.
        var key: [UInt8]?
    }

    private let claim: LaneClaim
    private let database: SharedDatabase
    private let outcomeLimit: Duration
    private let state: Mutex<State>
    private let appends = TaskSemaphore(count: 1)

    init(of claim: LaneClaim, in database: SharedDatabase, outcomeLimit: Duration) {
        self.claim = claim
        self.database = database
        self.outcomeLimit = outcomeLimit
        state = Mutex(State(position: LanePosition(number: claim.tail, total: claim.total)))
    }

    var isLost: Bool { state.withLock(\.isLost) }

    func recordLoss() { state.withLock { $0.isLost = true } }

    /// The position of the last entry, or `nil` if it is unknown.
    var last: LanePosition? { state.withLock(\.position) }

    /// Appends drafts in one transaction.
    ///
    /// - Returns: The numbers of the entries.
    func append(_ drafts: [StoredDraft]) async throws -> ClosedRange<Int64> {
        try await fromKnownEnd { position in
            let next = Self.position(after: drafts, from: position)
            do {
                let results = try await database.pool.transact([
                    try insertion(of: drafts, from: position, to: next)
                ])
                try Self.check(results.first, count: drafts.count)
            } catch DatabaseError.outcomeUnknown(let reason) {
                state.withLock { $0.position = nil }
                let key = drafts.last?.key.bytes ?? []
                guard try await isStored(key, at: next.number, after: reason) else {
                    throw DatabaseError.outcomeUnknown(reason)
                }
            }
            return (position.number + 1...next.number, next)
        }
    }

    /// Appends drafts, except repeatable ones that any node has appended before, in one transaction.
    ///
    /// If the outcome is unknown, repeatable drafts can be appended again: those that were stored
    /// are recognised.
    ///
    /// - Returns: The number of each draft, or `nil` if it was appended before.
    func appendOnce(_ drafts: [StoredDraft]) async throws -> [Int64?] {
        try await fromKnownEnd { position in
            try await database.pool.withTransaction { transaction in
                let isNew = try await EntryClaims(transaction).claim(for: drafts)
                let new = zip(drafts, isNew).filter(\.1).map(\.0)
                let next = try await insert(new, after: position, transaction)
                var numbers = (position.number + 1..<next.number + 1).makeIterator()
                return (isNew.map { $0 ? numbers.next() : nil }, next)
            }
        }
    }

    /// Appends the drafts that `make` returns, in one transaction with `finish`, which receives
    /// them with their numbers. Both may run several times, because transactions may be rolled
    /// back.
    ///
    /// - Returns: The appended entries.
    func append(
        _ make: @Sendable (Transaction) async throws -> [JournalDraft],
        then finish: @Sendable ([JournalEntry], Transaction) async throws -> Void
    ) async throws -> [JournalEntry] {
        try await fromKnownEnd { position in
            try await database.pool.withTransaction { transaction in
                let drafts = try await make(transaction)
                guard !drafts.isEmpty else { return ([], position) }
                let stored = try drafts.map { try StoredDraft($0) }
                let next = try await insert(stored, after: position, transaction)
                let entries = zip(position.number + 1...next.number, drafts).map(JournalEntry.init)
                try await finish(entries, transaction)
                return (entries, next)
            }
        }
    }

    /// The end of the lane is not where it was expected, or the lane is lost.
    private struct EndedElsewhere: Error {}

    /// Runs an append, which returns the new end of the lane. Retries it if the lane does not end
    /// where it was expected to: an earlier append took effect after its failure was reported, or
    /// the claim is outdated.
    private func fromKnownEnd<Value: Sendable>(
        _ append: (LanePosition) async throws -> (Value, LanePosition)
    ) async throws -> Value {
        try await appends.run {
            while true {
                let position = try await knownPosition()
                do {
                    let (value, next) = try await append(position)
                    state.withLock { $0.position = next }
                    return value
                } catch is EndedElsewhere {
                    state.withLock { $0.position = nil }
                } catch DatabaseError.outcomeUnknown(let reason) {
                    state.withLock { $0.position = nil }
                    throw DatabaseError.outcomeUnknown(reason)
                }
            }
        }
    }

    private static func position(
        after drafts: [StoredDraft], from position: LanePosition
    ) -> LanePosition {
        LanePosition(
            number: position.number + Int64(drafts.count),
            total: drafts.reduce(position.total) { $0 + $1.storedBytes })
    }

    /// - Throws: ``EndedElsewhere`` unless all entries were inserted.
    private static func check(_ result: QueryResult?, count: Int) throws {
        guard result?.affectedRows == count else { throw EndedElsewhere() }
    }

    /// - Returns: The position of the last inserted entry.
    private func insert(
        _ drafts: [StoredDraft], after position: LanePosition, _ transaction: Transaction
    ) async throws -> LanePosition {
        guard !drafts.isEmpty else { return position }
        let next = Self.position(after: drafts, from: position)
        let statement = try insertion(of: drafts, from: position, to: next)
        try Self.check(try await transaction.execute(statement), count: drafts.count)
        return next
    }

    /// A single statement, so that entries are added only if the node owns the lane and the lane
    /// ends at the expected position.
    private func insertion(
        of drafts: [StoredDraft], from position: LanePosition, to next: LanePosition
    ) throws -> Statement {
        var totals: [Int64] = []
        for draft in drafts {
            totals.append((totals.last ?? position.total) + draft.storedBytes)
        }
        return try Statement(
            """
            WITH owned AS (
                UPDATE lane SET tail = $4, total = $5
                WHERE id = $1 AND epoch = $2 AND tail = $3 RETURNING bucket
            )
            INSERT INTO entry (
                bucket, number, key, arrival, signal, total, size, form, app, body)
            SELECT owned.bucket, new.* FROM owned, unnest(
                $6::int8[], $7::bytea[], $8::int8[], $9::int2[], $10::int8[], $11::int4[],
                $12::int2[], $13::text[], $14::bytea[]) AS new
            """,
            [
                .value(claim.lane.rawValue, .int2), .value(claim.epoch, .int8),
                .value(position.number, .int8), .value(next.number, .int8),
                .value(next.total, .int8),
                .value(Array(position.number + 1...next.number), .array(of: .int8)),
                .value(drafts.map(\.key.bytes), .array(of: .bytea)),
                .value(drafts.map(\.arrival.rawValue), .array(of: .int8)),
                .value(drafts.map { Int16($0.kind.rawValue) }, .array(of: .int2)),
                .value(totals, .array(of: .int8)),
                .value(drafts.map { Int32($0.body.size) }, .array(of: .int4)),
                .value(drafts.map { Int16($0.body.form.rawValue) }, .array(of: .int2)),
                .value(drafts.map(\.app), .nullableArray(of: .text)),
                .value(drafts.map(\.body.bytes), .array(of: .bytea)),
            ])
    }

    private func knownPosition() async throws -> LanePosition {
        if let position = state.withLock(\.position) { return position }
        let found = try await find(entry: 0)
        try record(found)
        return found.position
    }

    /// - Throws: `JournalError` if the lane is lost.
    private func record(_ found: Found) throws {
        state.withLock { state in
            if !found.isOwned { state.isLost = true }
            state.position = found.isOwned ? found.position : nil
        }
        guard found.isOwned else { throw JournalError.lost(claim.lane) }
    }

    /// Determines whether an append took effect if its connection was lost during the commit. Waits
    /// for the database to respond.
    ///
    /// The key is decisive, because the number may also belong to an earlier append that took
    /// effect late, or to an entry of another node that has claimed the lane.
    ///
    /// - Throws: `DatabaseError.outcomeUnknown` if the database does not respond in time.
    private func isStored(
        _ key: [UInt8], at number: Int64, after reason: String
    ) async throws -> Bool {
        let end = ContinuousClock.now + outcomeLimit
        var delay = Duration.milliseconds(50)
        while true {
            if let found = try? await find(entry: number) { return found.key == key }
            guard ContinuousClock.now < end else { throw DatabaseError.outcomeUnknown(reason) }
            try await Task.sleep(for: delay)
            delay = min(delay * 2, .seconds(1))
        }
    }

    /// Reads the lane and locks its row, so that it waits for any transaction of a lost connection
    /// that has changed the lane.
    private func find(entry number: Int64) async throws -> Found {
        let lane = try Statement(
            "SELECT epoch, tail, total FROM lane WHERE id = $1 FOR NO KEY UPDATE",
            [.value(claim.lane.rawValue, .int2)])
        let entry = try Statement(
            "SELECT key FROM entry WHERE number = $1", [.value(number, .int8)])
        let results = try await database.pool.transact([lane, entry])
        guard results.count == 2, let row = results[0].first else {
            throw JournalError.damage("lane \(claim.lane.rawValue)")
        }
        return Found(
            position: LanePosition(number: try row.value(1, .int8), total: try row.value(2, .int8)),
            isOwned: try row.value(0, .int8) == claim.epoch,
            key: try results[1].first?.value(0, .bytea))
    }
}

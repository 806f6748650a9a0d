public import Ingest
import PostgreSQL
import Synchronization

/// The queue of one lane, with the operations of its node on the diagnostics of all lanes.
///
/// Entries are numbered without gaps, because only the owner of the claim appends, one transaction
/// after the other. They are never changed; a partition of them is dropped when every reader has
/// passed it, see ``EntryPartitions``. After another node has claimed the lane, all changes throw
/// `closed`.
public final class LaneJournal: Sendable {
    public let claim: LaneClaim
    let database: SharedDatabase
    let recent = RecentEntryCache(bytesLimit: 16 << 20)
    let end: LaneEnd
    /// The worker's cursor, or `nil` if it has not been read yet. Only the owner of the lane moves
    /// it.
    let workerCursor = Mutex<LanePosition?>(nil)
    let slowestReader = SlowestReader()
    let clock: ClusterClock?
    let options: LaneOptions
    private let appends: AppendQueue

    /// - Parameters:
    ///   - claim: The node's claim of the lane.
    ///   - clock: The clock with the time of the last renewal of the claim, or `nil` not to check
    ///     it.
    ///   - options: The archive and the limits that the node uses.
    ///   - outcomeLimit: The maximum time to wait for the database to find out whether an append
    ///     took effect whose connection was lost during the commit.
    ///   - appendLimit: The longest time that an append waits.
    public init(
        of claim: LaneClaim, in database: SharedDatabase, clock: ClusterClock? = nil,
        options: LaneOptions = LaneOptions(), outcomeLimit: Duration = .seconds(10),
        appendLimit: Duration = .seconds(10)
    ) {
        self.claim = claim
        self.clock = clock
        self.options = options
        self.database = database
        let end = LaneEnd(of: claim, in: database, outcomeLimit: outcomeLimit)
        self.end = end
        appends = AppendQueue(timeLimit: appendLimit) { drafts in
            drafts.contains(where: \.isRepeatable)
                ? try await end.appendOnce(drafts) : Array(try await end.append(drafts))
        }
    }

    var lane: LaneNumber { claim.lane }

    /// Whether another node has taken over the lane, as noticed by an append or a renewal.
    public var isLost: Bool { end.isLost }

    /// Records that another node has taken over the lane, and fails the waiting appends.
    ///
    /// Appends whose transaction is running may still be stored, so clients may send their entries
    /// again.
    public func recordLoss() {
        end.recordLoss()
        appends.refuse(.lost(lane))
    }

    /// Appends all or none of the drafts, in order, and returns their numbers once they are
    /// durable. Concurrent calls share one transaction.
    ///
    /// - Returns: The number of each draft, or `nil` for a repeatable one that any node appended
    ///   before.
    /// - Throws: `JournalError`. If the connection was lost during the commit and the database does
    ///   not respond, the drafts may be stored nevertheless.
    public func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64?] {
        guard !drafts.isEmpty else { return [] }
        return try await appends.append(drafts) { [recent] numbers in
            recent.add(drafts, numbers: numbers)
        }
    }

    /// Returns the keys of repeatable drafts that any node has appended, among some keys.
    public func appended(_ keys: [EntryKey]) async throws(JournalError) -> Set<EntryKey> {
        guard !keys.isEmpty else { return [] }
        return try await asJournal {
            let rows = try await database.read(
                EntryClaims.lookup, [.value(keys.map(\.bytes), .array(of: .bytea))])
            return Set(try rows.compactMap { EntryKey(bytes: try $0.value(0, .bytea)) })
        }
    }

    /// Returns the entries of the lane after `number`, in ascending order: at most `count`, and at
    /// most `bytes` of bodies, but at least one if there is one.
    public func entries(
        after number: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        guard count > 0 else { return [] }
        // The worker calls this after each run, and usually there are no new entries.
        if let last = end.last, number >= last.number { return [] }
        let recent = recent.entries(after: number, count: count, bytes: bytes)
        if !recent.isEmpty { return recent }
        return try await database.entries(
            after: max(number, lane.start), through: lane.end, count: count, bytes: bytes)
    }

    /// Runs `body` in a transaction that can be committed only if the node still owns the lane.
    ///
    /// A claim by another node waits until the transaction has ended, and appends do not.
    ///
    /// - Throws: `JournalError` with the reason `closed` if the claim is outdated, or the errors of
    ///   `body` and of the database.
    func fenced<Value>(_ body: (Transaction) async throws -> Value) async throws -> Value {
        try await database.pool.withTransaction { transaction in
            let owned = try await transaction.execute(try fence())
            guard owned.count == 1 else { throw JournalError.lost(lane) }
            return try await body(transaction)
        }
    }

    /// Returns a statement that returns one row if the claim is valid, and keeps it valid until the
    /// transaction ends.
    func fence() throws -> Statement {
        try Statement(
            "SELECT 1 FROM lane WHERE id = $1 AND epoch = $2 FOR KEY SHARE", claimParameters)
    }

    /// `$1` and `$2` of statements that change the lane.
    var claimParameters: [Parameter] {
        [.value(lane.rawValue, .int2), .value(claim.epoch, .int8)]
    }
}

public import CallStacks
public import Problems

/// The port to the queue on disk: acknowledged entries, in order, and the cursor of each reader.
///
/// Readers are the worker, named ``JournalReaders/worker``, and the exporters by their names. An
/// entry stays until every reader has passed it and no stored diagnostic refers to it.
public protocol Journal: Sendable {
    /// Appends all or none of the drafts, in order, and returns their numbers once they are on
    /// disk. Concurrent calls share one write.
    ///
    /// - Returns: The number of each draft, or `nil` for a repeatable one that was appended before,
    ///   by this call or another one, and is on disk.
    func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64?]

    /// Returns the keys of repeatable drafts that were appended, among some keys.
    func appended(_ keys: [EntryKey]) async throws(JournalError) -> Set<EntryKey>

    /// Returns the entries after `number`, in ascending order: at most `count`, and at most `bytes`
    /// of bodies, but at least one if there is one.
    func entries(
        after number: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry]

    /// Returns the entry with a number, or `nil` if it is no longer stored.
    ///
    /// - Throws: `JournalError` with the reason `unavailable` if it is archived and temporarily
    ///   unreadable.
    func entry(_ number: Int64) async throws(JournalError) -> JournalEntry?

    /// Returns the stored entries among those with the given numbers, in the order of the numbers,
    /// up to `bytes` of bodies.
    func entries(
        _ numbers: [Int64], bytes: Int
    ) async throws(JournalError) -> [JournalEntry]

    /// Returns the number of the last entry that `reader` has finished. A new reader starts after
    /// the last entry. The worker is never new, and starts before the first one.
    func cursor(of reader: String) async throws(JournalError) -> Int64

    /// Returns all readers except the worker, and the exporters that only have dead letters, sorted
    /// by name.
    func readers() async throws(JournalError) -> [ReaderStatus]

    /// Renames, removes and adds readers at startup, in one transaction.
    func reconcile(_ reconciliation: ReaderReconciliation) async throws(JournalError)

    /// Returns the entries that a reader has not finished.
    func backlog(of reader: String) async throws(JournalError) -> Backlog

    /// Drops the oldest entries that wait for ``JournalReaders/unsent`` beyond `bytes`.
    ///
    /// - Returns: The dropped entries.
    func trimUnsent(keeping bytes: Int64) async throws(JournalError) -> Backlog

    /// Drops the oldest entries that wait for ``JournalReaders/unsent`` and arrived before `oldest`.
    ///
    /// - Returns: The dropped entries, at most `count`.
    func dropUnsent(before oldest: UnixTime, count: Int) async throws(JournalError) -> Backlog

    /// Moves the cursor of `reader` to `number`, but never back and never past the last entry.
    func advance(_ reader: String, to number: Int64) async throws(JournalError)

    /// Returns the number of diagnostics of a run that one commit should store. Appends may have to
    /// wait for a commit.
    func diagnosticsPerCommit(inRunOf count: Int) -> Int

    /// Stores the results of some entries and moves the worker's cursor, in one transaction.
    ///
    /// - Throws: `JournalError` with the reason `conflict` if ``WorkerCommit/expected`` is
    ///   outdated. The entries are then processed again.
    func commit(_ commit: WorkerCommit) async throws(JournalError)

    /// Returns the backlog of the slowest reader other than ``JournalReaders/unsent``.
    func backlog() async throws(JournalError) -> Backlog

    /// Returns the backlog of the worker.
    func workerBacklog() async throws(JournalError) -> WorkerBacklog

    /// Checks the free space that appends must leave for processing and removing stored entries.
    ///
    /// - Throws: `JournalError` with the reason `full` while the disk has less.
    func checkFreeSpace() async throws(JournalError)

    /// Removes at most `count` entries that every reader has passed and no stored diagnostic refers
    /// to.
    ///
    /// - Returns: The number of removed entries.
    func removePassed(count: Int) async throws(JournalError) -> Int
}

extension Journal {
    /// The default for journals whose appends do not wait for commits.
    public func diagnosticsPerCommit(inRunOf count: Int) -> Int { .max }
}

/// The names of readers that are not exporters.
public enum JournalReaders {
    /// The reader that symbolicates.
    public static let worker = "worker"
    /// The reader for which entries are stored while there is no exporter. The space keeps it
    /// distinct from the names of exporters.
    public static let unsent = "(no exporter)"
}

/// The entries that a reader has not finished.
public struct Backlog: Hashable, Sendable {
    /// The size of their bodies, as stored.
    public var bytes: Int64
    public var count: Int64
    /// The arrival of the oldest.
    public var oldest: UnixTime?
    /// The reader, or `nil` if there are no such entries.
    public var reader: String?

    public init(
        bytes: Int64 = 0, count: Int64 = 0, oldest: UnixTime? = nil, reader: String? = nil
    ) {
        self.bytes = bytes
        self.count = count
        self.oldest = oldest
        self.reader = reader
    }
}

/// The entries that the worker has not finished.
public struct WorkerBacklog: Hashable, Sendable {
    /// The size of their bodies, as stored.
    public var bytes: Int64
    public var count: Int64
    /// The size of the stored bodies of all entries that the worker has ever finished.
    public var processedBytes: Int64

    public init(bytes: Int64 = 0, count: Int64 = 0, processedBytes: Int64 = 0) {
        self.bytes = bytes
        self.count = count
        self.processedBytes = processedBytes
    }
}

/// The failure of an operation of the journal or the archive.
public struct JournalError: DescribedError, Hashable {
    public enum Reason: Hashable, Sendable {
        /// The disk is full, or the limit of the database is reached.
        case full
        case damaged
        case closed
        /// A later revision of a diagnostic was stored meanwhile.
        case conflict
        /// An archived entry is temporarily unreadable, because the server that stores it does not
        /// respond.
        case unavailable
        /// An entry is of a later version of the program.
        case unreadable
        case other
    }

    public var reason: Reason
    /// `journal: disk is full: free some space in '/var/lib/symbolist'`.
    public var problem: Problem

    public init(_ reason: Reason, _ problem: Problem) {
        self.reason = reason
        self.problem = problem
    }
}

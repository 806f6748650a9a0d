public import CallStacks

/// The port to the queue: what was acknowledged, in order, and how far each reader has come.
///
/// Readers are the worker, named ``JournalReaders/worker``, and the exporters by their names. An entry stays
/// until every reader has passed it and no diagnostic that is still kept refers to it.
public protocol Journal: Sendable {
    /// Keeps drafts in the order given, and returns their numbers when all of them are on the disk.
    /// Either all are kept or none. Calls that come together share one write.
    func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64]

    /// The entries behind `number`, ascending: at most `count`, and no more than `bytes` of bodies
    /// but always one if there is one.
    func entries(
        after number: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry]

    /// The entry with a number, if it is still kept.
    func entry(_ number: Int64) async throws(JournalError) -> JournalEntry?

    /// The number of the last entry that `reader` is done with. A reader that is new begins behind
    /// the last entry that there is; but the worker is never new, and begins before the first.
    func place(of reader: String) async throws(JournalError) -> Int64

    /// All readers but the worker, in the order of their names, and the names of exporters that only
    /// have dead letters.
    func readers() async throws(JournalError) -> [ReaderStatus]

    /// Decides about readers at a start: all of it or nothing.
    func settle(_ settlement: ReaderSettlement) async throws(JournalError)

    /// What waits for one reader.
    func waiting(for reader: String) async throws(JournalError) -> Backlog

    /// Lets the oldest entries go that wait for ``JournalReaders/unsent`` beyond `bytes`.
    ///
    /// - Returns: What went.
    func trimUnsent(keeping bytes: Int64) async throws(JournalError) -> Backlog

    /// Notes that `reader` is done with everything up to `number`. Places never go back, and never
    /// beyond the last entry that there is.
    func move(_ reader: String, to number: Int64) async throws(JournalError)

    /// Keeps what the worker found in some entries, and moves its place: all of it or nothing.
    ///
    /// - Throws: `JournalError` with the reason `overtaken` if ``WorkedBatch/expected`` is no longer
    ///   so; the entries are then worked on again.
    func commit(_ work: WorkedBatch) async throws(JournalError)

    /// What waits for its slowest reader, without what waits for ``JournalReaders/unsent`` alone.
    func backlog() async throws(JournalError) -> Backlog

    /// What waits for the worker.
    func workerBacklog() async throws(JournalError) -> WorkerBacklog

    /// - Throws: ``JournalError/Reason/full`` while the disk has less free space than appends must
    ///   leave for the work on what is already there.
    func checkFreeSpace() async throws(JournalError)

    /// Removes entries that every reader has passed and no kept diagnostic refers to, at most
    /// `count`; returns how many went.
    func removePassed(count: Int) async throws(JournalError) -> Int
}

/// Names of readers that are no exporters.
public enum JournalReaders {
    /// The one that symbolicates.
    public static let worker = "worker"
    /// The one for which entries are kept while there is no exporter. No exporter can have this name,
    /// because of the space in it.
    public static let unsent = "(no exporter)"
}

/// How much is acknowledged and not yet handed on.
public struct Backlog: Hashable, Sendable {
    /// Of stored bodies, in bytes.
    public var bytes: Int64
    public var count: Int64
    /// When the first of them arrived.
    public var oldest: UnixTime?
    /// The reader that they wait for, if any wait.
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

/// How much is acknowledged and not yet symbolicated.
public struct WorkerBacklog: Hashable, Sendable {
    /// Of stored bodies, in bytes.
    public var bytes: Int64
    /// The stored bodies of all entries that the worker has ever been done with, in bytes.
    public var workedBytes: Int64

    public init(bytes: Int64 = 0, workedBytes: Int64 = 0) {
        self.bytes = bytes
        self.workedBytes = workedBytes
    }
}

/// Why the journal could not do what it was asked.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// The disk or the database's own limit.
        case full
        case damaged
        case closed
        /// A diagnostic got another revision meanwhile.
        case overtaken
        case other
    }

    public var reason: Reason
    /// `journal: disk is full: free some space in '/var/lib/symbolist'`.
    public var description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}

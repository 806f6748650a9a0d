public import CallStacks

/// The port to what records are sent on to.
public protocol Exporter: Sendable {
    /// What names its place in the journal. Two exporters of one service never have the same.
    var name: String { get }

    /// The most that one batch may hold, in bytes of protobuf.
    var batchBytesLimit: Int { get }

    /// Hands one batch over, trying once. Whether and when to try again is decided by its caller.
    func send(_ batch: ExportBatch) async -> ExportOutcome

    /// Keeps open what sending needs, connections for instance, until its task is cancelled, and
    /// closes it then. ``ExportLoop`` runs it for as long as it sends.
    func run() async
}

/// Records on their way out.
public struct ExportBatch: Sendable {
    /// Only ``Signal/logs``, ``Signal/traces`` and ``Signal/metrics`` go out.
    public var signal: Signal
    /// The export request of that signal, as protobuf. Requests that follow one another are one
    /// request, because their only field is a repeated one.
    public var body: [UInt8]
    public var recordCount: Int
    /// When the oldest of the records was taken in, where that is known.
    public var arrival: UnixTime?

    public init(
        signal: Signal, body: [UInt8], recordCount: Int, arrival: UnixTime? = nil
    ) {
        self.signal = signal
        self.body = body
        self.recordCount = recordCount
        self.arrival = arrival
    }
}

/// What became of a batch.
public enum ExportOutcome: Hashable, Sendable {
    /// Taken, but for the records that the answer counts as rejected (`partial_success`).
    case taken(rejectedCount: Int64, message: String)
    /// Not now; after the given number of seconds, if the other side named one.
    case retry(reason: String, after: Double?)
    /// No, and without saying that it would be different later; after the given number of seconds,
    /// if the other side named one. `isForContent` if the answer speaks of the batch itself, such as
    /// 400 or 413, and not of the sender or the receiver, such as 401 or 500. What a refusal means is
    /// decided by what becomes of other batches: see ``ExportLane``.
    case refused(reason: String, isForContent: Bool, after: Double? = nil)
}

public import CallStacks

/// The port to a destination of records.
public protocol Exporter: Sendable {
    /// The name, which identifies its cursor in the journal. Unique within a service.
    var name: String { get }

    /// The maximum size of a batch, in bytes of protobuf.
    var batchBytesLimit: Int { get }

    /// Sends a batch once. The caller decides whether and when to retry.
    func send(_ batch: ExportBatch) async -> ExportOutcome

    /// Keeps resources such as connections open until the task is cancelled, and then closes them.
    func run() async
}

/// Records to be exported together.
public struct ExportBatch: Sendable {
    /// ``Signal/logs``, ``Signal/traces`` or ``Signal/metrics``.
    public var signal: Signal
    /// Export requests of that signal as protobuf. They are sent as one, ``body``.
    public let requests: [[UInt8]]
    /// The size of ``body`` in bytes.
    public let byteCount: Int
    public var recordCount: Int
    /// The arrival of the oldest record, or `nil` if it is unknown.
    public var arrival: UnixTime?

    public init(
        signal: Signal, body: [UInt8], recordCount: Int, arrival: UnixTime? = nil
    ) {
        self.init(signal: signal, requests: [body], recordCount: recordCount, arrival: arrival)
    }

    init(signal: Signal, requests: [[UInt8]], recordCount: Int, arrival: UnixTime?) {
        self.signal = signal
        self.requests = requests
        byteCount = requests.reduce(0) { $0 + $1.count }
        self.recordCount = recordCount
        self.arrival = arrival
    }

    /// All requests as one. Concatenated requests are one request, because their only field is a
    /// repeated one.
    ///
    /// - Complexity: O(*n*) in the number of bytes, unless there is only one request.
    public var body: [UInt8] {
        if requests.count == 1 { return requests[0] }
        var body: [UInt8] = []
        body.reserveCapacity(byteCount)
        for request in requests { body += request }
        return body
    }
}

/// The receiver's response to a batch.
public enum ExportOutcome: Hashable, Sendable {
    /// Accepted, except for the number of records that the response reports as rejected
    /// (`partial_success`).
    case accepted(rejectedCount: Int64, message: String)
    /// Temporarily not accepted. `after` is the delay in seconds that the receiver requested.
    case retry(reason: String, after: Double?)
    /// No response within the timeout. The receiver may have accepted the batch, or may be too slow
    /// for one of this size.
    case timedOut(reason: String)
    /// Refused, without an indication that a retry may succeed. `isForContent` is whether the
    /// response blames the batch itself, such as 400 or 413, rather than the sender or the
    /// receiver, such as 401 or 500. The meaning of a refusal depends on the outcomes of other
    /// batches; see ``SignalQueue``.
    case refused(reason: String, isForContent: Bool, after: Double? = nil)
}

public import CallStacks

/// A batch that a receiver permanently refused or partly rejected, unchanged.
public struct DeadLetter: Hashable, Sendable {
    /// The number that the archive assigned.
    public var id: Int64
    public var exporter: String
    public var signal: Signal
    public var refusal: UnixTime
    /// The receiver's response: `400 Bad Request: …`.
    public var reason: String
    public var recordCount: Int
    /// The number of records that the receiver rejected while it accepted the others, or `nil` if
    /// it accepted none. The receiver does not report which ones, so the letter contains the whole
    /// batch.
    public var rejectedCount: Int?
    /// The export request, as protobuf.
    public var body: [UInt8]

    public init(
        id: Int64 = 0, exporter: String, signal: Signal, refusal: UnixTime, reason: String,
        recordCount: Int, rejectedCount: Int? = nil, body: [UInt8]
    ) {
        self.id = id
        self.exporter = exporter
        self.signal = signal
        self.refusal = refusal
        self.reason = reason
        self.recordCount = recordCount
        self.rejectedCount = rejectedCount
        self.body = body
    }
}

/// A dead letter as shown in lists, without its body.
public struct DeadLetterSummary: Hashable, Sendable {
    public var id: Int64
    public var exporter: String
    public var signal: Signal
    public var refusal: UnixTime
    public var reason: String
    public var recordCount: Int
    /// The size of the body.
    public var byteCount: Int

    public init(
        id: Int64, exporter: String, signal: Signal, refusal: UnixTime, reason: String,
        recordCount: Int, byteCount: Int
    ) {
        self.id = id
        self.exporter = exporter
        self.signal = signal
        self.refusal = refusal
        self.reason = reason
        self.recordCount = recordCount
        self.byteCount = byteCount
    }
}

/// The dead letters of one exporter.
public struct DeadLetterCount: Hashable, Sendable {
    public var exporter: String
    public var letterCount: Int
    /// The number of undelivered records. In partly accepted letters, only the rejected records
    /// count.
    public var recordCount: Int

    public init(exporter: String, letterCount: Int, recordCount: Int) {
        self.exporter = exporter
        self.letterCount = letterCount
        self.recordCount = recordCount
    }
}

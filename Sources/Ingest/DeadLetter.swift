public import CallStacks

/// A batch that an exporter refused for good, or took only a part of, unchanged.
public struct DeadLetter: Hashable, Sendable {
    /// Given by the archive.
    public var id: Int64
    public var exporter: String
    public var signal: Signal
    public var refusal: UnixTime
    /// What the exporter said: `400 Bad Request: …`.
    public var reason: String
    public var recordCount: Int
    /// The number of records that a receiver rejected while it took the others, or `nil` if it took
    /// none. The receiver does not say which ones, so the letter holds the whole batch.
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

/// The dead letters of one exporter.
public struct DeadLetterCount: Hashable, Sendable {
    public var exporter: String
    public var letterCount: Int
    /// Of letters of which a part was taken, the records that were rejected.
    public var recordCount: Int

    public init(exporter: String, letterCount: Int, recordCount: Int) {
        self.exporter = exporter
        self.letterCount = letterCount
        self.recordCount = recordCount
    }
}

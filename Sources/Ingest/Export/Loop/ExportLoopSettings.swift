/// The batching and delivery of records to one exporter.
public struct ExportLoopSettings: Hashable, Sendable {
    /// Maximum records per batch, unless a single entry has more.
    public var batchRecordLimit = 1_000
    /// Time for which the first record of a batch waits for others: at most twice this value, and
    /// no longer than until the batch is full.
    public var fillWait = Duration.milliseconds(200)
    /// Maximum batches in flight. With more than one, batches may arrive out of order.
    public var inFlightLimit = 4
    public var retry = RetrySettings()
    /// Maximum time for which a graceful stop waits for batches in flight. Batches not accepted by
    /// then are sent after the next start.
    public var flushLimit = Duration.seconds(10)
    /// The time without new entries after which a graceful stop considers everything sent.
    public var silence = Duration.milliseconds(100)
    /// Minimum time between two writes of the exporter's cursor.
    public var cursorInterval = Duration.milliseconds(250)
    /// Minimum time between two rounds of resending dead letters.
    public var resendInterval = Duration.seconds(60)
    /// Maximum entries past the cursor that are delivered or in flight. They need memory, and are
    /// sent twice if the process is killed.
    public var entriesAheadLimit = 20_000

    public init() {}
}

/// The retries of an undelivered batch, each after a random part of a wait that doubles with each
/// attempt.
public struct RetrySettings: Hashable, Sendable {
    /// Maximum wait before the second attempt.
    public var initialWait = Duration.milliseconds(500)
    /// Maximum wait, unless the receiver requests a longer one.
    public var longestWait = Duration.seconds(30)
    /// Longest `Retry-After` that is honoured.
    public var longestRequestedWait = Duration.seconds(300)
    /// Maximum time for which a batch is retried before it becomes a dead letter, or `nil` for no
    /// limit.
    public var maxElapsed: Duration?

    public init() {}
}

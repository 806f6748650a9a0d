/// How records are put together and handed to one exporter.
public struct ExportLoopSettings: Hashable, Sendable {
    /// The most records of a batch, unless a single entry of the journal has more.
    public var batchRecordLimit = 1_000
    /// How long the first record of a batch waits for others: at most twice this, and not at all
    /// once the batch is full.
    public var fillWait = Duration.milliseconds(200)
    /// How many batches are on their way at once. With more than one, they may arrive out of order.
    public var inFlightLimit = 4
    public var retry = RetrySettings()
    /// How long a graceful stop waits for what is on its way. What is not taken by then is sent
    /// after the next start.
    public var flushLimit = Duration.seconds(10)
    /// How long nothing new must have come for a graceful stop to believe that all is sent.
    public var silence = Duration.milliseconds(100)
    /// The least time between two notes of the exporter's place, which are writes to the disk.
    public var placeInterval = Duration.milliseconds(250)
    /// The least time between two rounds in which dead letters are sent again.
    public var resendInterval = Duration.seconds(60)
    /// How many entries may be sent or on their way behind one that still has to be: what a kill
    /// sends twice, and what memory is needed for.
    public var entriesAheadLimit = 20_000

    public init() {}
}

/// When a batch that could not be handed over is tried again: after a random part of a time that
/// doubles from attempt to attempt.
public struct RetrySettings: Hashable, Sendable {
    /// The longest wait before the second attempt.
    public var initialWait = Duration.milliseconds(500)
    /// The longest wait before any attempt that the other side did not ask for.
    public var longestWait = Duration.seconds(30)
    /// The longest wait that the other side may ask for.
    public var longestAskedWait = Duration.seconds(300)
    /// How long a batch is tried before it becomes a dead letter; `nil` for ever.
    public var maxElapsed: Duration?

    public init() {}
}

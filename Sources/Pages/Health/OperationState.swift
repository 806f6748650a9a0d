public import CallStacks

/// The state of the service, as the page of its health shows it.
public struct OperationState: Sendable {
    /// Requests that wait for something.
    public struct Waiting: Hashable, Sendable {
        public var count: Int64
        public var bytes: Int64
        /// The arrival of the oldest one.
        public var oldest: UnixTime?

        public init(count: Int64, bytes: Int64, oldest: UnixTime? = nil) {
            self.count = count
            self.bytes = bytes
            self.oldest = oldest
        }
    }

    /// One exporter, or one whose entries wait although it is not configured any more.
    public struct Exporter: Hashable, Sendable {
        public enum State: Hashable, Sendable {
            case ok
            case retrying(attempts: Int)
            case notConfigured
        }

        public var name: String
        public var state: State
        public var waiting: Waiting
        public var lastSuccess: UnixTime?
        public var lastError: String?
        public var lastErrorTime: UnixTime?
        public var deadLetters: Int

        public init(name: String, state: State, waiting: Waiting, deadLetters: Int) {
            self.name = name
            self.state = state
            self.waiting = waiting
            self.deadLetters = deadLetters
        }
    }

    /// Requests that are stored until every exporter has them.
    public var queue: Waiting
    /// The size of the requests that the worker has not processed.
    public var workerBytes: Int64
    public var exporters: [Exporter]
    public var symbolBytes: Int64
    /// The free space of the disk, if the system reports it.
    public var freeBytes: Int64?

    public init(
        queue: Waiting, workerBytes: Int64, exporters: [Exporter], symbolBytes: Int64,
        freeBytes: Int64?
    ) {
        self.queue = queue
        self.workerBytes = workerBytes
        self.exporters = exporters
        self.symbolBytes = symbolBytes
        self.freeBytes = freeBytes
    }
}

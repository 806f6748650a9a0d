public import CallStacks

/// The state of the service that the health page shows.
public struct OperationState: Sendable {
    /// Requests that wait for something.
    public struct Waiting: Hashable, Sendable {
        public var count: Int64
        public var bytes: Int64
        /// The time when the oldest one was received.
        public var oldest: UnixTime?

        public init(count: Int64, bytes: Int64, oldest: UnixTime? = nil) {
            self.count = count
            self.bytes = bytes
            self.oldest = oldest
        }
    }

    /// A configured exporter, or one that is no longer configured but still has waiting entries.
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

    /// The requests that are stored until every exporter has delivered them.
    public var queue: Waiting
    /// The size at which requests are rejected.
    public var queueLimit: Int64
    /// The requests that the worker has not processed.
    public var worker: Waiting
    public var exporters: [Exporter]
    public var store: Store

    public init(
        queue: Waiting, queueLimit: Int64, worker: Waiting, exporters: [Exporter], store: Store
    ) {
        self.queue = queue
        self.queueLimit = queueLimit
        self.worker = worker
        self.exporters = exporters
        self.store = store
    }

    /// The use of the disk, in bytes.
    public struct Store: Hashable, Sendable {
        public var databaseBytes: Int64
        public var symbolBytes: Int64
        public var indexBytes: Int64
        /// The free space, if the system reports it.
        public var freeBytes: Int64?
        /// The time for which diagnostics are kept, in seconds.
        public var keptSeconds: Int64

        public init(
            databaseBytes: Int64, symbolBytes: Int64, indexBytes: Int64, freeBytes: Int64?,
            keptSeconds: Int64
        ) {
            self.databaseBytes = databaseBytes
            self.symbolBytes = symbolBytes
            self.indexBytes = indexBytes
            self.freeBytes = freeBytes
            self.keptSeconds = keptSeconds
        }
    }
}

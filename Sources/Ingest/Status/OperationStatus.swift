public import SymbolIntake

/// The service's queues and its storage.
public struct OperationStatus: Sendable {
    /// One exporter, or a reader of the queue without one.
    public struct ExporterStatus: Hashable, Sendable {
        public enum State: String, Sendable {
            case ok
            case retrying
            /// Entries wait for it, but it is not in the configuration.
            case notConfigured = "not_configured"
        }

        public var name: String
        public var state: State
        public var waiting: Backlog
        public var requests: ExporterStatusBoard.Status
        public var deadLetterCount: Int
    }

    /// The use of the disk, in bytes.
    public struct Store: Hashable, Sendable {
        public var symbolBytes: Int64
        /// `nil` if the system does not report it.
        public var freeBytes: Int64?
    }

    /// The parts that are not separated by app.
    public struct Shared: Sendable {
        public var queue: Backlog
        public var worker: WorkerBacklog
        public var exporters: [ExporterStatus]
        public var store: Store
    }

    /// `nil` for a caller that may see one app only.
    public var shared: Shared?
    public var coverage: [VersionCoverage]
    public var refusals: [UploadRefusal]
}

/// Collects the status of the service.
public struct OperationStatusSource: Sendable {
    private let journal: any Journal
    private let groups: any GroupArchive
    private let catalogue: any Catalogue
    private let disk: Disk
    /// The outcomes of the exporters' requests.
    public let board: ExporterStatusBoard

    public init(
        journal: any Journal, groups: any GroupArchive, catalogue: any Catalogue, disk: Disk,
        board: ExporterStatusBoard = ExporterStatusBoard()
    ) {
        self.journal = journal
        self.groups = groups
        self.catalogue = catalogue
        self.disk = disk
        self.board = board
    }

    /// - Parameter app: The only app that the caller may see, or `nil` for all.
    public func status(app: String?) async throws -> OperationStatus {
        OperationStatus(
            shared: app == nil ? try await shared() : nil,
            coverage: try await groups.coverage(app: app),
            refusals: try await catalogue.refusals(app: app))
    }

    private func shared() async throws -> OperationStatus.Shared {
        OperationStatus.Shared(
            queue: try await journal.backlog(), worker: try await journal.workerBacklog(),
            exporters: try await exporters(),
            store: OperationStatus.Store(
                symbolBytes: try await catalogue.storedBytes(), freeBytes: disk.freeBytes))
    }

    private func exporters() async throws -> [OperationStatus.ExporterStatus] {
        let readers = try await journal.readers().filter { $0.name != JournalReaders.unsent }
        return readers.map { reader in
            let requests = board.status(of: reader.name)
            return OperationStatus.ExporterStatus(
                name: reader.name, state: .init(of: reader, requests), waiting: reader.backlog,
                requests: requests, deadLetterCount: reader.deadLetterCount)
        }
    }
}

extension OperationStatus.ExporterStatus.State {
    fileprivate init(of reader: ReaderStatus, _ requests: ExporterStatusBoard.Status) {
        if !reader.wasConfigured {
            self = .notConfigured
        } else {
            self = requests.failedAttempts > 0 ? .retrying : .ok
        }
    }
}

public import CallStacks
public import SymbolIntake

/// The service's queues and its storage.
public struct OperationStatus: Sendable {
    /// One exporter, or a reader of the queue without one.
    public struct ExporterStatus: Hashable, Sendable {
        public enum State: String, Sendable {
            case ok
            case retrying
            /// It is not configured, but entries still wait for it.
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
        /// The size of the database with its log.
        public var databaseBytes: Int64
        public var symbolBytes: Int64
        public var indexBytes: Int64
        /// `nil` if the system does not report it.
        public var freeBytes: Int64?
    }

    /// The parts that are common to all apps.
    public struct Shared: Sendable {
        public var queue: Backlog
        public var worker: Backlog
        public var exporters: [ExporterStatus]
        public var store: Store
        public var limits: Limits
    }

    /// The storage limits of the service.
    public struct Limits: Hashable, Sendable {
        /// The maximum size of the queue, in bytes.
        public var queueBytes: Int64
        /// The retention period of diagnostics, in seconds.
        public var diagnosticsSeconds: Int64

        public init(queueBytes: Int64, diagnosticsSeconds: Int64) {
            self.queueBytes = queueBytes
            self.diagnosticsSeconds = diagnosticsSeconds
        }
    }

    /// The common parts, or `nil` for a caller that may see only one app.
    public var shared: Shared?
    /// The numbers of diagnostics of the last 24 hours, by status. The current hour is one of them.
    public var recent: [SymbolicatedDiagnostic.Status: Int]
    public var coverage: [VersionCoverage]
    public var refusals: [UploadRefusal]
}

/// Collects the status of the service.
public struct OperationStatusSource: Sendable {
    private let journal: any Journal
    private let groups: any GroupArchive
    private let catalogue: any Catalogue
    private let files: DataFolders
    private let databaseBytes: @Sendable () async throws(JournalError) -> Int64
    private let limits: OperationStatus.Limits
    /// The outcomes of the exporters' requests.
    public let board: ExporterStatusBoard

    /// - Parameters:
    ///   - files: The data folder.
    ///   - databaseBytes: Returns the size of the database, in bytes.
    public init(
        journal: any Journal, groups: any GroupArchive, catalogue: any Catalogue,
        files: DataFolders,
        databaseBytes: @escaping @Sendable () async throws(JournalError) -> Int64,
        limits: OperationStatus.Limits,
        board: ExporterStatusBoard = ExporterStatusBoard()
    ) {
        self.journal = journal
        self.groups = groups
        self.catalogue = catalogue
        self.files = files
        self.databaseBytes = databaseBytes
        self.limits = limits
        self.board = board
    }

    /// - Parameter app: The only app that the caller may see, or `nil` for all.
    public func status(app: String?, now: UnixTime) async throws -> OperationStatus {
        OperationStatus(
            shared: app == nil ? try await shared() : nil,
            recent: try await groups.statusCounts(
                since: now.advanced(seconds: -23 * 3_600), app: app),
            coverage: try await groups.coverage(app: app),
            refusals: try await catalogue.refusals(app: app))
    }

    private func shared() async throws -> OperationStatus.Shared {
        OperationStatus.Shared(
            queue: try await journal.backlog(),
            worker: try await journal.backlog(of: JournalReaders.worker),
            exporters: try await exporters(),
            store: OperationStatus.Store(
                databaseBytes: try await databaseBytes(),
                symbolBytes: try await catalogue.storedBytes(), indexBytes: files.indexByteCount,
                freeBytes: Disk(folder: files.path).freeBytes),
            limits: limits)
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
            // After a failed last request, the exporter may still have nothing left to send, if
            // that request became a dead letter.
            self = requests.failedAttempts > 0 && reader.backlog.count > 0 ? .retrying : .ok
        }
    }
}

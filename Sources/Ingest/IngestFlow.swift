public import CallStacks
public import Logging
public import SymbolIntake
import Symbolication
import TaskCoordination

/// The assembled flow of a service: gateway, worker and late symbols.
public struct IngestFlow: Sendable {
    public struct Settings: Sendable {
        public var enrichment = EnrichmentSettings()
        /// Whether records created from MetricKit payloads have attributes that the instrumentation
        /// does not send.
        public var hasPayloadAdditions = true
        /// Whether diagnostics are redacted before they are stored.
        public var redactsStored = false
        /// The maximum time for which a record waits for symbols of the app, in seconds.
        public var holdSeconds: Int64 = 0
        /// The maximum age of a diagnostic that is sent again when symbols arrive, in seconds.
        public var resendWindowSeconds: Int64 = 30 * 86_400
        /// Whether a diagnostic is sent again for symbols of Apple's system images, which no app
        /// can upload.
        public var resendsForSystem = false
        /// The debounce time of re-sends, in seconds, so that the files of one build cause one
        /// revision.
        public var debounceSeconds: Int64 = 2
        /// The size limit of the exporters' queue in bytes, above which requests are rejected.
        public var queueBytesLimit: Int64 = 1 << 30
        /// The stored bytes that may always wait for the worker, however slow it is.
        public var unprocessedBytesMinimum: Int64 = 128 << 10
        /// The time after which a request that waits for the worker is rejected. Clients give up
        /// after about ten seconds.
        public var longestRequestWait = Duration.seconds(4)
        /// Readers of the journal without an exporter in the configuration.
        public var orphans: Set<String> = []
        /// The names of the exporters of the flow.
        public var exporters: Set<String> = []
        /// The size limit of the results that are kept for exporters, in bytes.
        public var resultBytesLimit = 32 << 20
        /// The number of entries processed concurrently.
        public var width = 2

        public init() {}
    }

    public private(set) var gateway: IngestGateway
    public let worker: Worker
    public let lateSymbols: LateSymbols
    /// The redaction of requests before they are stored, or `nil` if they are stored as received.
    public let arrivalRedaction: ArrivalRedaction?
    private let newEntries: Wakeup

    /// Starts at the worker's cursor in the journal.
    ///
    /// - Parameter symbolChanges: The changes that the lookups of `symbolication` reflect.
    public init(
        journal: any Journal, archive: any DiagnosticArchive, revisions: any RevisionArchive,
        symbolChanges: any SymbolChanges, symbolication: DiagnosticSymbolication,
        settings: Settings, logger: Logger, now: @escaping @Sendable () -> UnixTime
    ) async throws(JournalError) {
        let newEntries = Wakeup()
        self.newEntries = newEntries
        let records = RecordProcessor(
            symbolication: symbolication, enricher: RecordEnricher(settings: settings.enrichment),
            hasAdditions: settings.hasPayloadAdditions)
        let cursor = try await journal.cursor(of: JournalReaders.worker)
        lateSymbols = LateSymbols(
            archive: archive, journal: journal, symbolChanges: symbolChanges,
            newEntries: newEntries,
            windowSeconds: settings.resendWindowSeconds,
            resendsForSystem: settings.resendsForSystem,
            debounceSeconds: settings.debounceSeconds, logger: logger, now: now)
        let backpressure = try await Backpressure(
            journal: journal, minimumBytes: settings.unprocessedBytesMinimum,
            longestWait: settings.longestRequestWait)
        worker = Worker(
            processor: EntryProcessor(
                records: records, holdSeconds: settings.holdSeconds, journal: journal,
                revisions: revisions, symbolChanges: symbolChanges),
            buffer: ResultBuffer(
                after: cursor, exporters: settings.exporters,
                bytesLimit: settings.resultBytesLimit),
            newEntries: newEntries, backpressure: backpressure, width: settings.width,
            metrics: IngestMetrics(), logger: logger)
        arrivalRedaction = settings.redactsStored ? ArrivalRedaction(records: records) : nil
        gateway = IngestGateway(
            journal: journal, newEntries: newEntries, backpressure: backpressure,
            queueBytesLimit: settings.queueBytesLimit, orphans: settings.orphans,
            redaction: arrivalRedaction, now: now)
    }
}

extension IngestFlow {
    /// Returns the flow with a stream that accepts OTLP requests in place of the journal.
    public func producing(to stream: any RequestStream) -> Self {
        var flow = self
        flow.gateway.stream = stream
        return flow
    }

    /// Wakes the worker. Call this after appending entries to the journal without the gateway.
    public func wakeWorker() { newEntries.signal() }
}

public import CallStacks
public import Logging
public import SymbolIntake
import Symbolication

/// The flow of one service, put together: reception, worker, late symbols.
public struct IngestFlow: Sendable {
    public struct Settings: Sendable {
        public var enrichment = EnrichmentSettings()
        /// Whether records of MetricKit payloads tell more than the instrumentation does.
        public var hasPayloadAdditions = true
        /// How long a record may wait for symbols of the app, in seconds.
        public var holdSeconds: Int64 = 0
        /// How long after its arrival a diagnostic is sent again when symbols arrive, in seconds.
        public var resendWindowSeconds: Int64 = 30 * 86_400
        /// How long a diagnostic rests after symbols for it arrived, in seconds: the files of a build
        /// come one after the other, and it is to be sent again once and not for each of them.
        public var restSeconds: Int64 = 2
        /// How many bytes may wait for exporters before requests are turned away.
        public var queueBytesLimit: Int64 = 1 << 30
        /// How many bytes may wait for the worker, as stored, however slow it is.
        public var unworkedBytesLeast: Int64 = 128 << 10
        /// How long a request waits for the worker before it is turned away. Clients give up after
        /// about ten seconds.
        public var longestRequestWait = Duration.seconds(4)
        /// Readers of the journal that no exporter of the configuration reads for.
        public var orphans: Set<String> = []
        /// How many bytes of results are kept for exporters in memory.
        public var resultBytesLimit = 32 << 20
        /// How many entries are worked on side by side.
        public var width = 2

        public init() {}
    }

    public let reception: Reception
    public let worker: Worker
    public let lateSymbols: LateSymbols

    /// Begins where the worker stopped the last time.
    public init(
        journal: any Journal, archive: any DiagnosticArchive, catalogue: any Catalogue,
        symbolication: DiagnosticSymbolication, settings: Settings, logger: Logger,
        now: @escaping @Sendable () -> UnixTime
    ) async throws(JournalError) {
        let arrivals = Wakeup()
        let enrichment = Enrichment(settings: settings.enrichment)
        let work = EntryWork(
            records: RecordWork(symbolication: symbolication, enrichment: enrichment),
            payloads: PayloadWork(
                symbolication: symbolication, enrichment: enrichment,
                hasAdditions: settings.hasPayloadAdditions),
            holdSeconds: settings.holdSeconds, journal: journal, archive: archive)
        let place = try await journal.place(of: JournalReaders.worker)
        lateSymbols = LateSymbols(
            archive: archive, journal: journal, catalogue: catalogue, arrivals: arrivals,
            windowSeconds: settings.resendWindowSeconds, restSeconds: settings.restSeconds,
            logger: logger, now: now)
        let backpressure = try await Backpressure(
            journal: journal, leastBytes: settings.unworkedBytesLeast,
            longestWait: settings.longestRequestWait)
        worker = Worker(
            work: work, ring: ResultRing(behind: place, bytesLimit: settings.resultBytesLimit),
            arrivals: arrivals, backpressure: backpressure, lateSymbols: lateSymbols,
            width: settings.width,
            metrics: IngestMetrics(), logger: logger)
        reception = Reception(
            journal: journal, archive: archive, arrivals: arrivals, backpressure: backpressure,
            queueBytesLimit: settings.queueBytesLimit, orphans: settings.orphans, now: now)
    }
}

public import Ingest
public import SymbolIntake

/// The parts of the service that request handlers use.
public struct ServerDependencies: Sendable {
    public var ingest: IngestFlow
    public let readiness: Readiness
    public var symbolication: DiagnosticSymbolication
    public var symbols: StoredSymbolIndexes
    public var journal: any Journal
    public var archive: any DiagnosticArchive
    public var figures: any FigureArchive
    public var groups: any GroupArchive
    public var flames: MergedFlames
    public var status: OperationStatusSource
    public var cluster: any ClusterStatusSource
    public var catalogue: any Catalogue
    public var intake: UploadIntake
    public var removal: SymbolRemoval
    public var deadLetters: DeadLetterResender
    /// The data folders, including the one for uploads.
    public var folders: DataFolders
    /// Returns the metrics of the process in the Prometheus text format.
    public var metricsText: @Sendable () -> String
    /// Whether several nodes share the figures of apps. If so, the metrics of a process do not
    /// include them.
    public var sharesFigures = false

    public init(
        ingest: IngestFlow, symbolication: DiagnosticSymbolication, symbols: StoredSymbolIndexes,
        journal: any Journal, archive: any DiagnosticArchive, figures: any FigureArchive,
        groups: any GroupArchive, flames: MergedFlames, status: OperationStatusSource,
        cluster: any ClusterStatusSource,
        catalogue: any Catalogue, intake: UploadIntake, removal: SymbolRemoval,
        deadLetters: DeadLetterResender,
        folders: DataFolders, metricsText: @escaping @Sendable () -> String
    ) {
        self.ingest = ingest
        readiness = Readiness(ingest.gateway)
        self.symbolication = symbolication
        self.symbols = symbols
        self.journal = journal
        self.archive = archive
        self.figures = figures
        self.groups = groups
        self.flames = flames
        self.status = status
        self.cluster = cluster
        self.catalogue = catalogue
        self.intake = intake
        self.removal = removal
        self.deadLetters = deadLetters
        self.folders = folders
        self.metricsText = metricsText
    }
}

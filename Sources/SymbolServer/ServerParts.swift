public import Ingest
public import SymbolIntake

/// What requests are answered with.
public struct ServerParts: Sendable {
    public var ingest: IngestFlow
    public let readiness: Readiness
    public var symbolication: DiagnosticSymbolication
    public var symbols: StoredSymbols
    public var journal: any Journal
    public var archive: any DiagnosticArchive
    public var figures: any FigureArchive
    public var catalogue: any Catalogue
    public var intake: BundleIntake
    public var removal: SymbolRemoval
    public var deadLetters: DeadLetterResending
    /// Where uploads are streamed to.
    public var folders: DataFolders
    /// The metrics of the process, as the text that Prometheus reads.
    public var metricsText: @Sendable () -> String

    public init(
        ingest: IngestFlow, symbolication: DiagnosticSymbolication, symbols: StoredSymbols,
        journal: any Journal, archive: any DiagnosticArchive, figures: any FigureArchive,
        catalogue: any Catalogue,
        intake: BundleIntake, removal: SymbolRemoval, deadLetters: DeadLetterResending,
        folders: DataFolders, metricsText: @escaping @Sendable () -> String
    ) {
        self.ingest = ingest
        readiness = Readiness(ingest.reception)
        self.symbolication = symbolication
        self.symbols = symbols
        self.journal = journal
        self.archive = archive
        self.figures = figures
        self.catalogue = catalogue
        self.intake = intake
        self.removal = removal
        self.deadLetters = deadLetters
        self.folders = folders
        self.metricsText = metricsText
    }
}

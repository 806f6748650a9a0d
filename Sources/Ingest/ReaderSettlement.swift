/// A reader of the journal as a start finds it.
public struct ReaderStatus: Hashable, Sendable {
    public var name: String
    /// `false` for a name that only dead letters have.
    public var hasPlace: Bool
    /// What waits for it.
    public var waiting: Backlog
    public var deadLetterCount: Int
    /// Whether the configuration named it at the last start that had any exporter.
    public var wasConfigured: Bool

    public init(
        name: String, hasPlace: Bool = true, waiting: Backlog = Backlog(),
        deadLetterCount: Int = 0, wasConfigured: Bool = true
    ) {
        self.name = name
        self.hasPlace = hasPlace
        self.waiting = waiting
        self.deadLetterCount = deadLetterCount
        self.wasConfigured = wasConfigured
    }
}

/// Which stored readers belong to the exporters of the configuration, decided at a start.
///
/// A reader for which entries wait is never removed here: it becomes that of the exporter that was
/// evidently renamed, or stays until its name is configured again or it is given up on purpose.
public struct ReaderSettlement: Hashable, Sendable {
    public struct Rename: Hashable, Sendable {
        public var old: ReaderStatus
        public var new: String
    }

    /// The names of the configuration.
    public var exporters: [String]
    public private(set) var renames: [Rename] = []
    /// Readers that are not configured, and for which nothing waits.
    public private(set) var removals: [String] = []
    /// Readers that are not configured, and for which entries wait.
    public private(set) var orphans: [ReaderStatus] = []
    /// Exporters that have no place yet. They begin with what was kept while there was no exporter,
    /// or else behind the last entry.
    public private(set) var newcomers: [String]

    /// - Parameters:
    ///   - exporters: The names of the configuration.
    ///   - stored: What the journal has.
    ///   - isSpelling: Whether a stored name is another spelling of an exporter's name.
    public init(
        exporters: [String], stored: [ReaderStatus],
        isSpelling: (_ stored: String, _ exporter: String) -> Bool = { _, _ in false }
    ) {
        self.exporters = exporters
        let places = Set(stored.filter(\.hasPlace).map(\.name))
        newcomers = exporters.filter { !places.contains($0) }
        var gone = stored.filter {
            $0.hasPlace && !exporters.contains($0.name) && $0.name != JournalReaders.unsent
        }
        for old in gone {
            let matches = newcomers.filter { isSpelling(old.name, $0) }
            if matches.count == 1 { rename(old, to: matches[0], &gone) }
        }
        if newcomers.count == 1, let old = Self.renamed(gone) {
            rename(old, to: newcomers[0], &gone)
        }
        orphans = gone.filter { $0.waiting.count > 0 }
        removals = gone.filter { $0.waiting.count == 0 }.map(\.name)
    }

    private mutating func rename(
        _ old: ReaderStatus, to new: String, _ gone: inout [ReaderStatus]
    ) {
        renames.append(Rename(old: old, new: new))
        newcomers.removeAll { $0 == new }
        gone.removeAll { $0.name == old.name }
    }

    /// The reader whose exporter has another name now, where that is evident.
    ///
    /// Readers that were left without an exporter before come last: an exporter that is new while
    /// another one has just gone is rather that one, even if nothing waits for it.
    private static func renamed(_ gone: [ReaderStatus]) -> ReaderStatus? {
        let recent = gone.filter(\.wasConfigured)
        let candidates = (recent.isEmpty ? gone : recent).filter { $0.waiting.count > 0 }
        if !candidates.isEmpty { return candidates.count == 1 ? candidates[0] : nil }
        return recent.count == 1 && recent[0].deadLetterCount > 0 ? recent[0] : nil
    }
}

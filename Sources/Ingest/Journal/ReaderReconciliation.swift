/// A reader of the journal as found at startup.
public struct ReaderStatus: Hashable, Sendable {
    public var name: String
    /// Whether it has a cursor. An exporter that has only dead letters has none.
    public var hasCursor: Bool
    /// The entries that it has not finished.
    public var backlog: Backlog
    public var deadLetterCount: Int
    /// Whether it was configured at the last start with any exporter.
    public var wasConfigured: Bool

    public init(
        name: String, hasCursor: Bool = true, backlog: Backlog = Backlog(),
        deadLetterCount: Int = 0, wasConfigured: Bool = true
    ) {
        self.name = name
        self.hasCursor = hasCursor
        self.backlog = backlog
        self.deadLetterCount = deadLetterCount
        self.wasConfigured = wasConfigured
    }
}

/// Assigns stored readers to the configured exporters at startup.
///
/// A reader with a backlog is never removed here. It is assigned to the exporter that was evidently
/// renamed, or is kept until its name is configured again or an operator drops it.
public struct ReaderReconciliation: Hashable, Sendable {
    public struct Rename: Hashable, Sendable {
        public var old: ReaderStatus
        public var new: String
    }

    /// The names in the configuration.
    public var exporters: [String]
    public private(set) var renames: [Rename] = []
    /// Readers that are not configured and have no backlog.
    public private(set) var removals: [String] = []
    /// Readers that are not configured and have a backlog.
    public private(set) var orphans: [ReaderStatus] = []
    /// Exporters without a cursor. They start with the entries stored while there was no exporter,
    /// or else after the last entry.
    public private(set) var additions: [String]

    /// - Parameters:
    ///   - exporters: The names in the configuration.
    ///   - stored: The readers of the journal.
    ///   - isSpelling: Returns whether a stored name is another spelling of an exporter's name.
    public init(
        exporters: [String], stored: [ReaderStatus],
        isSpelling: (_ stored: String, _ exporter: String) -> Bool = { _, _ in false }
    ) {
        self.exporters = exporters
        let known = Set(stored.filter(\.hasCursor).map(\.name))
        additions = exporters.filter { !known.contains($0) }
        var unconfigured = stored.filter {
            $0.hasCursor && !exporters.contains($0.name) && $0.name != JournalReaders.unsent
        }
        for old in unconfigured {
            let matches = additions.filter { isSpelling(old.name, $0) }
            if matches.count == 1 { rename(old, to: matches[0], &unconfigured) }
        }
        if additions.count == 1, let old = Self.renamed(unconfigured) {
            rename(old, to: additions[0], &unconfigured)
        }
        orphans = unconfigured.filter { $0.backlog.count > 0 }
        removals = unconfigured.filter { $0.backlog.count == 0 }.map(\.name)
    }

    private mutating func rename(
        _ old: ReaderStatus, to new: String, _ unconfigured: inout [ReaderStatus]
    ) {
        renames.append(Rename(old: old, new: new))
        additions.removeAll { $0 == new }
        unconfigured.removeAll { $0.name == old.name }
    }

    /// Returns the reader whose exporter was evidently renamed, or `nil`.
    ///
    /// A reader that lost its exporter at an earlier start is considered last, because a new
    /// exporter more likely replaces one that was just removed, even if that has no backlog.
    private static func renamed(_ unconfigured: [ReaderStatus]) -> ReaderStatus? {
        let recent = unconfigured.filter(\.wasConfigured)
        let candidates = (recent.isEmpty ? unconfigured : recent).filter { $0.backlog.count > 0 }
        if !candidates.isEmpty { return candidates.count == 1 ? candidates[0] : nil }
        return recent.count == 1 && recent[0].deadLetterCount > 0 ? recent[0] : nil
    }
}

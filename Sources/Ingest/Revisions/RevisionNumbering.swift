import SymbolIntake

/// Assigns revision numbers to the records of an entry that is processed again. The numbers are the
/// same for all exporters.
///
/// Symbols, settings and builds may have changed since the records were sent. A record with the
/// content that the entry sent, or with that of its last revision, keeps the number; any other
/// content becomes the next revision, which is stored before it is sent.
struct RevisionNumbering {
    private let entry: Int64
    private let archive: any RevisionArchive
    private var states: [Int: RevisionState] = [:]
    private let symbolChanges: any SymbolChanges
    private var next: [NextRevision] = []
    /// See ``WorkerCommit/symbolsSeen``.
    private var symbolsSeen: Int64 = 0

    init(
        of entry: Int64, in archive: any RevisionArchive, symbolChanges: any SymbolChanges
    ) {
        self.entry = entry
        self.archive = archive
        self.symbolChanges = symbolChanges
    }

    /// Reads the last sent revisions.
    ///
    /// Compute contents after this call, so that ``store()`` detects every revision stored and
    /// every change of symbols in the meantime, and older content never gets a newer number.
    mutating func load() async throws(JournalError) {
        symbolsSeen = symbolChanges.lastReflected
        states = [:]
        next = []
        for state in try await archive.revisions(ofEntry: entry) {
            states[state.sent.address.position] = state
        }
    }

    /// Whether the record at a position is exported with its own entry.
    func isHeld(at position: Int) -> Bool { states[position]?.wasHeld ?? false }

    /// Returns the content that the entry sent of the record at a position, or `nil` if none is
    /// known.
    func sentContent(at position: Int) -> SentContent? {
        states[position]?.history.content(sentBy: entry)
    }

    /// Returns the number of a diagnostic's content.
    mutating func number(for diagnostic: DiagnosticRecord) -> Int {
        guard let state = states[diagnostic.address.position] else { return diagnostic.revision }
        if let revision = NextRevision(to: diagnostic, after: state, sentBy: entry) {
            next.append(revision)
        }
        return state.number(for: diagnostic.digest, sentBy: entry)
    }

    /// Stores the new revisions.
    ///
    /// - Returns: `false` if the contents have to be recomputed.
    func store() async throws(JournalError) -> Bool {
        next.isEmpty ? true : try await archive.advance(next, symbolsSeen: symbolsSeen)
    }
}

extension NextRevision {
    /// Returns `nil` if the content is that of the last revision, or of the one that the entry sent.
    init?(to diagnostic: DiagnosticRecord, after state: RevisionState, sentBy entry: Int64) {
        let known = [state.sent.digest, state.history.content(sentBy: entry)?.digest]
        guard diagnostic.digest == nil || !known.contains(diagnostic.digest) else { return nil }
        let isReduced = diagnostic.symbolicatedFrameCount < state.symbolicatedFrameCount
        self.init(
            after: state.sent, content: diagnostic.digest, reduced: isReduced ? diagnostic : nil)
        history = state.history
        history.add(sent, diagnostic.view, sentBy: entry)
    }
}

extension DiagnosticRecord {
    var revisionState: RevisionState {
        RevisionState(
            sent: sentRevision, wasHeld: heldUntil != nil,
            symbolicatedFrameCount: symbolicatedFrameCount, history: history)
    }
}

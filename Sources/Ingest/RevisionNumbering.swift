/// Gives the records of an entry that is worked on again the numbers that all exporters agree on.
///
/// Symbols, settings and builds may have changed since the records were sent first. A record that says
/// the same as its last revision keeps that number, and any other content becomes the next revision
/// before it is sent.
struct RevisionNumbering {
    private let entry: Int64
    private let archive: any DiagnosticArchive
    private var known: [RecordPlace: KnownRevision] = [:]

    init(of entry: Int64, in archive: any DiagnosticArchive) {
        self.entry = entry
        self.archive = archive
    }

    /// Reads what was sent last. The contents are made after it: so each revision that is counted up
    /// while they are made is noticed, and an older content never gets a newer number.
    mutating func begin() async throws(JournalError) {
        known = [:]
        for revision in try await archive.revisions(ofEntry: entry) {
            known[revision.sent.place] = revision
        }
    }

    /// Counts up the revisions of contents that differ.
    ///
    /// - Returns: `false` if the contents have to be made again.
    func settle(_ rows: [DiagnosticRow]) async throws(JournalError) -> Bool {
        let steps = rows.compactMap(step)
        return steps.isEmpty ? true : try await archive.advance(steps)
    }

    private func step(for row: DiagnosticRow) -> RevisionStep? {
        guard let known = known[row.place], !known.wasHeld else { return nil }
        return RevisionStep(to: row, after: known)
    }

    /// The positions of records that go out with entries of their own.
    var held: Set<Int> {
        Set(known.values.lazy.filter(\.wasHeld).map(\.sent.place.position))
    }

    /// The numbers of records by their positions, but for those that keep the number 1.
    func numbers(of rows: [DiagnosticRow]) -> [Int: Int] {
        var numbers: [Int: Int] = [:]
        for row in rows {
            guard let sent = known[row.place]?.sent else { continue }
            let number = sent.number(for: row.digest)
            if number != row.revision { numbers[row.place.position] = number }
        }
        return numbers
    }
}

extension RevisionStep {
    /// `nil` if the content is that of the last revision.
    init?(to row: DiagnosticRow, after known: KnownRevision) {
        guard known.sent.digest == nil || known.sent.digest != row.digest else { return nil }
        let isPoorer = row.symbolicatedFrameCount < known.symbolicatedFrameCount
        self.init(after: known.sent, content: row.digest, poorer: isPoorer ? row : nil)
    }
}

extension DiagnosticRow {
    var known: KnownRevision {
        KnownRevision(
            sent: sentRevision, wasHeld: heldUntil != nil,
            symbolicatedFrameCount: symbolicatedFrameCount)
    }
}

import Ingest

extension WorkerCommit {
    /// The number of diagnostics from which a part ends with its entry.
    static let partCount = 12
    /// The number of diagnostics from which a commit is not divided. The service is at its limit then,
    /// and each part would write the same pages again.
    static let largeCount = 112

    /// The commits, in order, that together store this one.
    ///
    /// Requests wait for a transaction that stores many diagnostics. So a commit of new diagnostics
    /// only is divided, and requests are stored between its parts.
    var parts: [WorkerCommit] {
        guard revised.isEmpty, expected.isEmpty, postponed.isEmpty, payloads.isEmpty,
            diagnostics.count < Self.largeCount
        else { return [self] }
        var parts: [WorkerCommit] = []
        var part: [DiagnosticRecord] = []
        for diagnostic in diagnostics.sorted(by: { $0.address < $1.address }) {
            if let last = part.last, part.count >= Self.partCount,
                last.address.entry < diagnostic.address.entry
            {
                parts.append(
                    WorkerCommit(
                        lastNumber: last.address.entry, diagnostics: part, symbolsSeen: symbolsSeen)
                )
                part = []
            }
            part.append(diagnostic)
        }
        return parts + [
            WorkerCommit(lastNumber: lastNumber, diagnostics: part, symbolsSeen: symbolsSeen)
        ]
    }
}

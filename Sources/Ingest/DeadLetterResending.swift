/// Lists what exporters refused for good, and hands it over once more when somebody asks.
public struct DeadLetterResending: Sendable {
    private let archive: any DiagnosticArchive
    private let exporters: [String: any Exporter]

    /// How many letters one call sends at most.
    public static let countLimit = 1_000

    /// - Parameter exporters: Those of the configuration; letters of others stay where they are.
    public init(archive: any DiagnosticArchive, exporters: [any Exporter]) {
        self.archive = archive
        self.exporters = Dictionary(exporters.map { ($0.name, $0) }) { first, _ in first }
    }

    /// What became of a letter.
    public struct Attempt: Hashable, Sendable {
        public var id: Int64
        /// Why it stays; `nil` where the exporter took it and it is gone.
        public var failure: String?
    }

    /// Letters behind one of them, oldest first.
    public func letters(after id: Int64, count: Int) async throws(JournalError) -> [DeadLetter] {
        try await archive.deadLetters(after: id, count: count)
    }

    /// Sends letters, each as it was refused, one after the other.
    ///
    /// A letter is removed when its exporter has taken it, so a kill in between sends it twice and
    /// never loses it.
    ///
    /// - Parameter ids: `nil` for all that there are.
    public func resend(_ ids: Set<Int64>?) async throws(JournalError) -> [Attempt] {
        var attempts: [Attempt] = []
        var last: Int64 = 0
        while attempts.count < Self.countLimit {
            let letters = try await archive.deadLetters(after: last, count: 100)
            guard let end = letters.last?.id else { break }
            for letter in letters where ids?.contains(letter.id) ?? true {
                attempts.append(try await resend(letter))
            }
            last = end
        }
        return attempts
    }

    private func resend(_ letter: DeadLetter) async throws(JournalError) -> Attempt {
        guard let exporter = exporters[letter.exporter] else {
            return Attempt(
                id: letter.id, failure: "exporter '\(letter.exporter)' is not configured")
        }
        let batch = ExportBatch(
            signal: letter.signal, body: letter.body, recordCount: letter.recordCount)
        switch await exporter.send(batch) {
        case .taken(let rejectedCount, let message) where rejectedCount > 0:
            return Attempt(id: letter.id, failure: "records rejected: \(rejectedCount): \(message)")
        case .taken:
            try await archive.removeDeadLetters([letter.id])
            return Attempt(id: letter.id)
        case .retry(let reason, _): return Attempt(id: letter.id, failure: reason)
        case .refused(let reason, _, _): return Attempt(id: letter.id, failure: reason)
        }
    }
}

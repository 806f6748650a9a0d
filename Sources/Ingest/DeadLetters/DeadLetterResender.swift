/// Lists dead letters, and sends them again on request.
public struct DeadLetterResender: Sendable {
    private let archive: any DeadLetterArchive
    private let exporters: [String: any Exporter]

    /// The maximum number of letters that one call sends.
    public static let countLimit = 1_000
    /// The number of requested letters among which one query searches for the next one.
    private static let candidateCount = 100

    /// - Parameter exporters: The configured exporters. Letters of other exporters are kept.
    public init(archive: any DeadLetterArchive, exporters: [any Exporter]) {
        self.archive = archive
        self.exporters = Dictionary(exporters.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The result for one letter.
    public struct Attempt: Hashable, Sendable {
        public var id: Int64
        /// The reason why it was kept, or `nil` if it was delivered and removed.
        public var failure: String?
    }

    /// Returns the letters after an id, oldest first.
    public func letters(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetterSummary] {
        try await archive.deadLetterSummaries(after: id, count: count)
    }

    /// Sends letters unchanged, one after another. If a backend temporarily accepts nothing, or
    /// does not respond twice in a row, its other letters are not sent.
    ///
    /// A letter is removed after its delivery, so if the process is killed in between, it is sent
    /// twice and never lost.
    ///
    /// - Parameters:
    ///   - ids: The letters to send, or `nil` for all.
    ///   - id: The letter after which to start.
    /// - Returns: The results in the order of the ids, at most ``countLimit``.
    public func resend(
        _ ids: Set<Int64>?, after id: Int64 = 0
    ) async throws(JournalError) -> [Attempt] {
        let claimant = DeadLetterClaimant()
        var attempts: [Attempt] = []
        var outages = Outages()
        var last = id
        var rest = ids?.filter { $0 > id }.sorted()[...]
        while attempts.count < Self.countLimit {
            // Claimed one at a time, so that no claim expires while other letters are sent.
            let candidates = rest.map { Array($0.prefix(Self.candidateCount)) }
            if candidates?.isEmpty ?? false { break }
            if let letter = try await archive.claimDeadLetter(
                among: candidates, after: last, for: claimant)
            {
                attempts.append(try await resend(letter, claimedBy: claimant, &outages))
                last = letter.id
                rest = rest?.drop { $0 <= letter.id }
            } else if let candidates {
                rest?.removeFirst(candidates.count)
            } else {
                break
            }
        }
        return attempts
    }

    private func resend(
        _ letter: DeadLetter, claimedBy claimant: DeadLetterClaimant, _ outages: inout Outages
    ) async throws(JournalError) -> Attempt {
        let failure = await failure(sending: letter, &outages)
        if failure == nil {
            try await archive.removeDeadLetters([letter.id])
        } else {
            try await archive.releaseDeadLetters([letter.id], of: claimant)
        }
        return Attempt(id: letter.id, failure: failure)
    }

    /// Returns why a letter was not delivered, or `nil` if it was.
    private func failure(sending letter: DeadLetter, _ outages: inout Outages) async -> String? {
        guard let exporter = exporters[letter.exporter] else {
            return "exporter '\(letter.exporter)' is not configured"
        }
        if let reason = outages.reasons[letter.exporter] {
            return "not sent, after another failed: \(reason)"
        }
        let batch = ExportBatch(
            signal: letter.signal, body: letter.body, recordCount: letter.recordCount)
        let outcome = await exporter.send(batch)
        outages.record(outcome, of: letter.exporter)
        switch outcome {
        case .accepted(let rejectedCount, let message) where rejectedCount > 0:
            return "records rejected: \(rejectedCount): \(message)"
        case .accepted: return nil
        case .retry(let reason, _), .timedOut(let reason), .refused(let reason, _, _):
            return reason
        }
    }
}

/// The exporters whose backends temporarily accept nothing.
private struct Outages {
    /// The reasons, by exporter.
    private(set) var reasons: [String: String] = [:]
    /// The exporters whose last request got no response. A single one may be too large.
    private var unanswered: Set<String> = []

    mutating func record(_ outcome: ExportOutcome, of exporter: String) {
        switch outcome {
        case .retry(let reason, _): reasons[exporter] = reason
        case .timedOut(let reason):
            if !unanswered.insert(exporter).inserted { reasons[exporter] = reason }
        case .accepted, .refused: unanswered.remove(exporter)
        }
    }
}

/// What becomes of one parcel, as a machine that neither sends nor waits.
///
/// A parcel that is refused for what it holds is halved until the entries that are at fault stand
/// alone: `n` entries with one bad among them cost about 2 · log2(n) attempts, and only the bad one
/// becomes a dead letter.
struct ExportDelivery: ~Copyable {
    enum Step: Sendable {
        case send(ExportBatch)
        case wait(Duration)
        case bury(ExportBatch, reason: String)
    }

    private enum State {
        case ready
        case waiting(Duration)
        case refused(reason: String)
    }

    private let parcel: ExportParcel
    private let retry: RetrySettings
    /// Runs of parts that are still to be taken, the next one last.
    private var pieces: [Range<Int>]
    private var state = State.ready
    private var backOff: ExportBackOff
    private var firstFailure: Duration?

    init(_ parcel: ExportParcel, retry: RetrySettings) {
        self.parcel = parcel
        self.retry = retry
        pieces = [parcel.parts.indices]
        backOff = ExportBackOff(retry)
    }

    /// What is to be done now; `nil` when every part is taken or buried.
    var step: Step? {
        guard let piece = pieces.last else { return nil }
        return switch state {
        case .ready: .send(parcel.batch(piece))
        case .waiting(let wait): .wait(wait)
        case .refused(let reason): .bury(parcel.batch(piece), reason: reason)
        }
    }

    /// The answer to ``Step/send(_:)``.
    ///
    /// - Parameters:
    ///   - now: Since any fixed moment.
    ///   - random: A number from 0 to 1.
    mutating func take(_ outcome: ExportOutcome, now: Duration, random: Double) {
        switch outcome {
        case .taken: goOn()
        case .retry(let reason, let seconds): tryAgain(reason, seconds, now, random)
        case .refused(let reason, let isForContent):
            if isForContent, halve() { return }
            state = .refused(reason: reason)
        }
    }

    /// The wait of ``Step/wait(_:)`` is over.
    mutating func waited() { state = .ready }

    /// The dead letter of ``Step/bury(_:reason:)`` is kept.
    mutating func buried() { goOn() }

    private mutating func goOn() {
        pieces.removeLast()
        state = .ready
        firstFailure = nil
        backOff.reset()
    }

    private mutating func tryAgain(
        _ reason: String, _ seconds: Double?, _ now: Duration, _ random: Double
    ) {
        let start = firstFailure ?? now
        firstFailure = start
        if let limit = retry.maxElapsed, now - start >= limit {
            state = .refused(reason: "gave up after \(limit.components.seconds) s: \(reason)")
        } else {
            let asked = seconds.map { Duration.milliseconds(Int64(min(max($0, 0), 1e9) * 1_000)) }
            state = .waiting(backOff.nextWait(asked: asked, random: random))
        }
    }

    /// Puts two halves in the place of the run that was refused, unless it is a single part.
    private mutating func halve() -> Bool {
        guard let piece = pieces.last, piece.count > 1 else { return false }
        let middle = piece.lowerBound + piece.count / 2
        pieces.removeLast()
        pieces.append(middle..<piece.upperBound)
        pieces.append(piece.lowerBound..<middle)
        return true
    }
}

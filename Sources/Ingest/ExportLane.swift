/// The requests of one signal to one exporter, as a machine that neither sends nor waits.
///
/// A failure alone doesn't say whether the receiver is out of order or the records are bad, whatever
/// its status. So a piece that fails is pending until the requests beside it tell:
///
/// - Nothing is taken: an outage. Nothing is given up, and soon only one request at a time is tried,
///   at growing intervals.
/// - A request is taken that was sent after the refusal: what is refused again, and is the only thing
///   refused since, is bad in itself, and becomes a dead letter.
///
/// What is refused is sent in halves, down to single records, because a receiver that refuses one
/// record refuses all that come with it. In an outage that goes as slowly as everything else.
///
/// What fails for now (429, 503, no connection) is tried until it is taken; only after it has failed
/// many times while nearly all others were taken, it is bad as well.
struct ExportLane {
    /// What becomes of a piece that failed.
    enum Fate: Sendable {
        case pending
        case halved
        case deadLetter(reason: String)
    }

    /// How many requests were answered so far.
    struct Counts: Sendable {
        var taken = 0
        var failed = 0
    }

    /// With so many pieces refused, or failed for long, and none taken since, one request at a time is
    /// tried.
    static let freeFailureCount = 4
    /// How many pieces may be pending before no new ones are begun, if their bytes don't say so before.
    static let pendingLimit = 4_096
    /// How often a record is refused after others were taken, before it is a dead letter: once is
    /// enough where the answer speaks of its content and nothing else was refused meanwhile. While
    /// other pieces are refused too, each time counts only if a request was taken in between.
    static let confirmationLimit = 3
    /// The evidence from which on transient failures count as a refusal: what is tried beside others,
    /// half of which are taken, fails so often by chance once in four billion times.
    static let evidenceLimit = 16.0
    /// The evidence that halves begin with, so that each further halving takes less time.
    static let evidenceOfHalves = 12.0
    /// How often a piece fails before others are sent in its place meanwhile.
    static let slotAttemptLimit = 8
    /// From how many failures in a row on, a request that is taken is a recovery.
    static let recoveryStreak = 3

    private let retry: RetrySettings
    private let pendingBytesLimit: Int
    private(set) var pending: [ExportPiece] = []
    private var counts = Counts()
    private var sendCount = 0
    /// The number of the last request that was taken.
    private var lastTaken = 0
    /// How many failed since one was taken.
    private var streak = 0
    private var hasGivenUp = false
    /// Whether so much failed since the last request was taken that only one at a time is tried.
    private var isOut = false
    private(set) var failingSince: Duration?
    private(set) var lastSuccess: Duration?
    /// Until when the receiver asked to be left alone.
    private var closedUntil = Duration.zero
    /// When one request may be tried while nothing is taken.
    private var probeDue = Duration.zero
    private var backOff: ExportBackOff
    private var underWayCount = 0

    init(retry: RetrySettings, pendingBytesLimit: Int) {
        self.retry = retry
        self.pendingBytesLimit = pendingBytesLimit
        backOff = ExportBackOff(retry)
    }

    private func isOpen(_ now: Duration) -> Bool {
        now >= closedUntil && (!isOut || underWayCount == 0 && now >= probeDue)
    }

    /// Whether a piece that is pending keeps others from being sent in its place.
    func holdsSlot(_ piece: ExportPiece, slotCount: Int) -> Bool {
        guard piece.failureCount > 0, !piece.isRefused else { return false }
        return piece.failureCount < Self.slotAttemptLimit || slotCount == 1
    }

    /// Whether a parcel may be sent that was not tried before.
    ///
    /// - Parameter isEager: Whether it is sent in an outage as well.
    func admits(_ parcel: ExportParcel, now: Duration, isEager: Bool) -> Bool {
        (isOpen(now) || isEager && now >= closedUntil) && hasRoom(for: parcel)
    }

    func hasRoom(for parcel: ExportParcel) -> Bool {
        pending.isEmpty
            || pending.count < Self.pendingLimit
                && pendingBytes + parcel.body.count <= pendingBytesLimit
    }

    private var pendingBytes: Int { pending.reduce(0) { $0 + $1.parcel.body.count } }

    /// Takes out the pending piece that is to be tried next: one that was never sent by itself before
    /// others, and the smallest of those. In an outage what was never sent at all comes before pieces
    /// that failed, because it tells more.
    mutating func takeDue(
        _ now: Duration, slotCount: Int, hasFresh: Bool, hasSlot: (ExportParcel) -> Bool
    ) -> ExportPiece? {
        guard isOpen(now) else { return nil }
        let due = pending.indices.filter { index in
            let piece = pending[index]
            return piece.due <= now && !(isOut && hasFresh && piece.failureCount > 0)
                && (holdsSlot(piece, slotCount: slotCount) || hasSlot(piece.parcel))
        }
        let next = due.min { isBefore(pending[$0], pending[$1]) }
        return next.map { pending.remove(at: $0) }
    }

    private func isBefore(_ first: ExportPiece, _ second: ExportPiece) -> Bool {
        (first.due, first.parcel.recordCount, first.lastSend)
            < (second.due, second.parcel.recordCount, second.lastSend)
    }

    /// When something can be sent that can't be now; `nil` when that does not depend on time.
    func nextTime(after now: Duration, hasFresh: Bool) -> Duration? {
        if isOut, underWayCount > 0 { return nil }
        let opening = max(closedUntil, isOut ? probeDue : .zero)
        let times = pending.map { max($0.due, opening) } + (hasFresh ? [opening] : [])
        return times.filter { $0 > now }.min()
    }

    mutating func begin(_ piece: inout ExportPiece) {
        sendCount += 1
        underWayCount += 1
        piece.lastSend = sendCount
    }

    /// - Returns: Whether requests are taken again after several were not.
    mutating func noteTaken(_ piece: ExportPiece, now: Duration) -> Bool {
        let isRecovery = streak >= Self.recoveryStreak || hasGivenUp
        underWayCount -= 1
        counts.taken += 1
        lastTaken = max(lastTaken, piece.lastSend)
        lastSuccess = now
        streak = 0
        hasGivenUp = false
        isOut = false
        failingSince = nil
        backOff.reset()
        if isRecovery { release(now) }
        return isRecovery
    }

    /// Everything that is pending is tried soon.
    private mutating func release(_ now: Duration) {
        for index in pending.indices {
            pending[index].due = min(pending[index].due, now)
            pending[index].backOff.reset()
        }
    }

    /// Takes the answer to a piece that was not taken, and keeps what is to be tried again.
    ///
    /// - Parameter asked: How long the receiver asked to wait.
    mutating func noteFailure(
        _ failure: ExportPiece.Failure, of piece: ExportPiece, asked: Duration?, now: Duration,
        random: Double
    ) -> Fate {
        underWayCount -= 1
        var piece = piece
        note(failure, of: &piece, now)
        close(for: asked, piece, now)
        defer { if isOut { probeDue = now + backOff.nextWait(asked: asked, random: random) } }
        if let limit = retry.maxElapsed, let first = piece.firstFailure, now - first >= limit {
            hasGivenUp = true
            let seconds = limit.components.seconds
            return .deadLetter(reason: "gave up after \(seconds) s: \(failure.reason)")
        }
        let isBad = isBad(piece)
        if isBad || piece.isRefused, let (first, second) = piece.parcel.halves() {
            let evidence = isBad ? Self.evidenceOfHalves : 0
            pending += [first, second].map { piece.with($0, evidence: evidence) }
            return .halved
        }
        if isBad { return .deadLetter(reason: failure.reason) }
        keep(piece, asked, now, random)
        return .pending
    }

    private mutating func note(
        _ failure: ExportPiece.Failure, of piece: inout ExportPiece, _ now: Duration
    ) {
        if case .transient = failure, piece.failure != nil {
            piece.evidence += takenPart(since: piece)
        }
        streak += 1
        counts.failed += 1
        failingSince = failingSince ?? now
        piece.failure = failure
        piece.failureCount += 1
        piece.firstFailure = piece.firstFailure ?? now
        piece.countsAtFailure = counts
        if case .refusal(_, let isForContent) = failure { confirm(&piece, isForContent) }
    }

    private func confirm(_ piece: inout ExportPiece, _ isForContent: Bool) {
        if let sends = piece.sendsAtRefusal, lastTaken > sends.first {
            if isRefusedAlone {
                piece.confirmationCount += isForContent ? Self.confirmationLimit : 1
            } else if lastTaken > sends.last {
                piece.confirmationCount += 1
            }
        }
        piece.sendsAtRefusal = (piece.sendsAtRefusal?.first ?? sendCount, sendCount)
    }

    /// The part of other requests that were taken since a piece failed before.
    private func takenPart(since piece: ExportPiece) -> Double {
        let taken = counts.taken - piece.countsAtFailure.taken
        let failed = counts.failed - piece.countsAtFailure.failed
        return taken == 0 ? 0 : Double(taken) / Double(taken + failed)
    }

    /// Whether nothing that is pending was refused since the last request was taken.
    private var isRefusedAlone: Bool {
        !pending.contains { $0.isRefused && $0.failureCount > 0 && $0.lastSend > lastTaken }
    }

    private func isBad(_ piece: ExportPiece) -> Bool {
        switch piece.failure {
        case nil: false
        case .transient: piece.evidence >= Self.evidenceLimit
        case .refusal: piece.confirmationCount >= Self.confirmationLimit
        }
    }

    /// A receiver that asks for time gets it, unless it asks for one request only while it takes
    /// others.
    private mutating func close(for asked: Duration?, _ piece: ExportPiece, _ now: Duration) {
        guard let asked, piece.confirmationCount == 0, piece.evidence == 0 else { return }
        closedUntil = max(closedUntil, now + min(asked, retry.longestAskedWait))
    }

    private mutating func keep(
        _ piece: ExportPiece, _ asked: Duration?, _ now: Duration, _ random: Double
    ) {
        var piece = piece
        piece.due = now + piece.backOff.nextWait(asked: asked, random: random)
        pending.append(piece)
        isOut = isOut || pending.count(where: isStuck) >= Self.freeFailureCount
    }

    /// Whether a piece failed for good measure, and nothing was taken since.
    private func isStuck(_ piece: ExportPiece) -> Bool {
        let limit = piece.isRefused ? 1 : Self.slotAttemptLimit
        return piece.failureCount >= limit && piece.lastSend > lastTaken
    }

    /// Takes out what was refused first, to make way for other signals.
    mutating func takeOldestRefused(
        where condition: (ExportPiece) -> Bool
    ) -> ExportPiece? {
        guard
            let index = pending.firstIndex(where: {
                $0.isRefused && $0.failureCount > 0 && condition($0)
            })
        else { return nil }
        hasGivenUp = true
        return pending.remove(at: index)
    }
}

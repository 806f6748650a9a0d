/// What becomes of the parcels of one exporter, as a machine that neither sends nor waits.
///
/// Each signal has a lane of its own, which decides what a failure means; see ``ExportLane``. What is
/// refused waits beside what is sent, within a bound. At the bound nothing new is sent, so that an
/// outage leaves everything in the journal. Only a signal that is refused while others of the same
/// exporter are taken gives way to them: its oldest requests become dead letters.
struct ExportDelivery: ~Copyable {
    enum Step: Sendable {
        case send(Int, ExportBatch)
        case bury(Int, ExportRefusal)
        /// Until a moment.
        case wait(Duration)
    }

    /// What the entries of the journal have to hear of.
    enum Progress: Sendable {
        case done(ExportParcel)
        /// A single entry goes out in one part more.
        case divided(entry: Int64)
    }

    /// How long a signal may be refused, while others are taken, before it gives way to them.
    static let signalPatience = Duration.seconds(3_600)
    /// How much may be pending in a lane, in full batches for each that may be under way.
    static let pendingRounds = 4

    private let settings: ExportLoopSettings
    /// So that parcels beyond the limit of a batch, which single entries may be, go one by one.
    private let bytesLimit: Int
    private var lanes: [Signal: ExportLane] = [:]
    private var ready: [ExportParcel] = []
    private var underWay: [Int: ExportPiece] = [:]
    private var burials: [Step] = []
    private var nextID = 0
    private var timers: [Duration] = []
    /// How often the receiver took requests again after it had not.
    private(set) var recoveryCount = 0

    init(batchBytesLimit: Int, settings: ExportLoopSettings) {
        self.settings = settings
        bytesLimit = batchBytesLimit * settings.inFlightLimit
        for signal in [Signal.logs, .traces, .metrics] {
            lanes[signal] = ExportLane(
                retry: settings.retry, pendingBytesLimit: bytesLimit * Self.pendingRounds)
        }
    }

    /// Whether a parcel waits that was not tried yet.
    var hasReady: Bool { !ready.isEmpty }

    var isIdle: Bool {
        ready.isEmpty && underWay.isEmpty && lanes.values.allSatisfy(\.pending.isEmpty)
    }

    mutating func add(_ parcels: [ExportParcel]) { ready += parcels }

    /// What to do now.
    ///
    /// - Parameter isCrowded: Whether nothing more can be read until something is done.
    mutating func nextSteps(now: Duration, isCrowded: Bool) -> [Step] {
        giveWay(now, isCrowded: isCrowded)
        var steps = burials
        burials = []
        while let step = nextSend(now) { steps.append(step) }
        if let time = nextTime(after: now), timers.allSatisfy({ time < $0 }) {
            timers.append(time)
            steps.append(.wait(time))
        }
        return steps
    }

    mutating func waited(until time: Duration) { timers.removeAll { $0 == time } }

    /// The answer to ``Step/send(_:_:)``.
    ///
    /// - Parameters:
    ///   - now: Since any fixed moment.
    ///   - random: A number from 0 to 1.
    mutating func take(
        _ outcome: ExportOutcome, of id: Int, now: Duration, random: Double
    ) -> Progress? {
        guard let piece = underWay.removeValue(forKey: id) else {
            preconditionFailure("id: nothing of that number is under way")
        }
        switch outcome {
        case .taken(let rejectedCount, let message):
            if lane(piece, { $0.noteTaken(piece, now: now) }) { recoveryCount += 1 }
            guard rejectedCount > 0 else { return .done(piece.parcel) }
            let text = "\(rejectedCount) of \(piece.parcel.recordCount) rejected"
            bury(
                piece, message.isEmpty ? text : "\(text): \(message)",
                rejectedCount: rejectedCount)
            return nil
        case .retry(let reason, let after):
            return fail(piece, .transient(reason: reason), after, now, random)
        case .refused(let reason, let isForContent, let after):
            return fail(
                piece, .refusal(reason: reason, isForContent: isForContent), after, now, random)
        }
    }

    /// The dead letter of ``Step/bury(_:_:)`` is kept.
    mutating func buried(_ id: Int) -> Progress {
        guard let piece = underWay.removeValue(forKey: id) else {
            preconditionFailure("id: nothing of that number is under way")
        }
        return .done(piece.parcel)
    }

    private mutating func lane<Result>(
        _ piece: ExportPiece, _ body: (inout ExportLane) -> Result
    ) -> Result {
        guard var lane = lanes.removeValue(forKey: piece.parcel.signal) else {
            preconditionFailure("batch: signal \(piece.parcel.signal) does not go out")
        }
        defer { lanes[piece.parcel.signal] = lane }
        return body(&lane)
    }

    private mutating func fail(
        _ piece: ExportPiece, _ failure: ExportPiece.Failure, _ seconds: Double?, _ now: Duration,
        _ random: Double
    ) -> Progress? {
        let asked = seconds.map { Duration.milliseconds(Int64(min(max($0, 0), 1e9) * 1_000)) }
        let fate = lane(piece) {
            $0.noteFailure(failure, of: piece, asked: asked, now: now, random: random)
        }
        switch fate {
        case .pending: return nil
        case .halved:
            let parts = piece.parcel.parts
            return parts.count == 1 ? .divided(entry: parts[0].entry) : nil
        case .deadLetter(let reason):
            bury(piece, reason)
            return nil
        }
    }

    private mutating func bury(
        _ piece: ExportPiece, _ reason: String, rejectedCount: Int64? = nil
    ) {
        let refusal = ExportRefusal(
            batch: piece.parcel.batch, reason: reason, rejectedCount: rejectedCount)
        burials.append(.bury(begin(piece), refusal))
    }

    private mutating func begin(_ piece: ExportPiece) -> Int {
        nextID += 1
        underWay[nextID] = piece
        return nextID
    }

    private mutating func nextSend(_ now: Duration) -> Step? {
        let slots = freeSlots
        guard var piece = nextDue(now, slots) ?? nextReady(now, slots) else { return nil }
        lane(piece) { $0.begin(&piece) }
        return .send(begin(piece), piece.parcel.batch)
    }

    private mutating func nextDue(_ now: Duration, _ slots: FreeSlots) -> ExportPiece? {
        for signal in [Signal.logs, .traces, .metrics] {
            guard var lane = lanes[signal], !lane.pending.isEmpty else { continue }
            let fresh = ready.first { $0.signal == signal }
            let piece = lane.takeDue(
                now, slotCount: settings.inFlightLimit,
                hasFresh: fresh.map { lane.hasRoom(for: $0) && slots.fits($0) } ?? false,
                hasSlot: slots.fits)
            guard let piece else { continue }
            lanes[signal] = lane
            return piece
        }
        return nil
    }

    /// The first parcel of each signal, if its lane and its size allow it.
    private mutating func nextReady(_ now: Duration, _ slots: FreeSlots) -> ExportPiece? {
        var seen: Set<Signal> = []
        for index in ready.indices where seen.insert(ready[index].signal).inserted {
            let parcel = ready[index]
            guard let lane = lanes[parcel.signal], slots.fits(parcel) else { continue }
            // Then it is not the receiver that is out of order, and the others wait behind this one.
            let isAlone = lane.failingSince.map { isTaken(otherThan: parcel.signal, since: $0) }
            guard lane.admits(parcel, now: now, isEager: isAlone ?? false) else { continue }
            ready.remove(at: index)
            return ExportPiece(parcel, retry: settings.retry)
        }
        return nil
    }

    /// What may be sent beside what is under way, or waits in the place of something that is.
    private struct FreeSlots {
        var count: Int
        var bytes: Int
        var isWhole: Bool

        func fits(_ parcel: ExportParcel) -> Bool {
            isWhole || count > 0 && parcel.body.count <= bytes
        }
    }

    private var freeSlots: FreeSlots {
        var slots = FreeSlots(count: settings.inFlightLimit, bytes: bytesLimit, isWhole: true)
        func take(_ piece: ExportPiece) {
            slots.count -= 1
            slots.bytes -= piece.parcel.body.count
            slots.isWhole = false
        }
        for piece in underWay.values { take(piece) }
        for lane in lanes.values {
            for piece in lane.pending
            where lane.holdsSlot(piece, slotCount: settings.inFlightLimit) { take(piece) }
        }
        return slots
    }

    private func nextTime(after now: Duration) -> Duration? {
        lanes.compactMap { signal, lane in
            lane.nextTime(
                after: now,
                hasFresh: ready.contains { $0.signal == signal && lane.hasRoom(for: $0) })
        }.min()
    }

    /// Gives up the oldest request of a signal that is refused while others are taken, where it
    /// holds them back or has done so for long.
    private mutating func giveWay(_ now: Duration, isCrowded: Bool) {
        for (signal, lane) in lanes {
            guard let since = lane.failingSince, isTaken(otherThan: signal, since: since)
            else { continue }
            let isFull = ready.first { $0.signal == signal }.map { !lane.hasRoom(for: $0) } ?? false
            var changed = lane
            let oldest = changed.takeOldestRefused {
                isCrowded || isFull || now - ($0.firstFailure ?? now) >= Self.signalPatience
            }
            guard let oldest, let reason = oldest.failure?.reason else { continue }
            lanes[signal] = changed
            bury(oldest, "\(reason): no \(signal) are taken, but other signals are")
        }
    }

    private func isTaken(otherThan signal: Signal, since moment: Duration) -> Bool {
        lanes.contains { $0.key != signal && ($0.value.lastSuccess ?? .zero) > moment }
    }
}

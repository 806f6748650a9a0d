/// What one export loop does next, as a machine that neither reads, sends nor waits.
///
/// At any time there is at most one read, one timer of each kind and one note of the place under way,
/// and no more sends than allowed. Nothing new is read while a full parcel waits to be sent, so memory
/// holds the sends, what is pending after a failure, one read, and an open parcel for each signal.
struct ExportSchedule: ~Copyable {
    enum Event: Sendable {
        case read([WorkedEntry])
        case answered(Int, ExportOutcome)
        case buried(Int)
        case waited(until: Duration)
        case fillWaitPassed
        case placeKept
        case stopRequested
        case silencePassed
        case flushTimePassed
    }

    enum Action: Sendable {
        case read(after: Int64)
        case send(Int, ExportBatch)
        /// `place`: behind which everything is done.
        case bury(Int, ExportRefusal, place: Int64)
        case wait(until: Duration)
        case startFillWait
        case keepPlace(Int64)
        case startSilence
        case startFlushTime
    }

    private let settings: ExportLoopSettings
    private var place: ExportPlace
    private var assembly: ExportAssembly
    private var delivery: ExportDelivery
    private var lastRead: Int64
    private var lastKept: Int64
    private var isReading = false
    private var isKeeping = false
    private var isFilling = false
    /// The round of filling that is under way, or the last one.
    private var round = 0
    private var isStopping = false
    /// Whether anything was read since the last silence began.
    private var hasNews = false
    private(set) var isFinished = false

    init(place: Int64, batchBytesLimit: Int, settings: ExportLoopSettings) {
        self.place = ExportPlace(place)
        self.settings = settings
        assembly = ExportAssembly(
            bytesLimit: batchBytesLimit, recordLimit: settings.batchRecordLimit)
        delivery = ExportDelivery(batchBytesLimit: batchBytesLimit, settings: settings)
        lastRead = place
        lastKept = place
    }

    /// Behind which everything is done.
    var placeNumber: Int64 { place.number }

    /// How often the receiver took requests again after it had not.
    var recoveryCount: Int { delivery.recoveryCount }

    /// What to do at the very beginning.
    mutating func begin() -> [Action] { nextActions(.zero) }

    /// - Parameters:
    ///   - now: Since any fixed moment.
    ///   - random: A number from 0 to 1.
    mutating func take(_ event: Event, now: Duration, random: Double) -> [Action] {
        switch event {
        case .read(let entries): add(entries)
        case .answered(let id, let outcome):
            note(delivery.take(outcome, of: id, now: now, random: random))
        case .buried(let id): note(delivery.buried(id))
        case .waited(let time): delivery.waited(until: time)
        case .fillWaitPassed: endRound()
        case .placeKept: isKeeping = false
        case .stopRequested: return stop() + nextActions(now)
        case .silencePassed: return endSilence()
        case .flushTimePassed: isFinished = true
        }
        return isFinished ? [] : nextActions(now)
    }

    private mutating func add(_ entries: [WorkedEntry]) {
        isReading = false
        hasNews = hasNews || !entries.isEmpty
        for entry in entries where entry.number > lastRead {
            lastRead = entry.number
            place.begin(entry.number, partCount: entry.batches.count)
            for batch in entry.batches {
                // The round that is under way began before this batch did.
                delivery.add(assembly.add(batch, entry: entry.number, round: round + 1))
            }
        }
        if isStopping { delivery.add(assembly.close()) }
    }

    private mutating func note(_ progress: ExportDelivery.Progress?) {
        switch progress {
        case .done(let parcel): for part in parcel.parts { place.finishPart(of: part.entry) }
        case .divided(let entry): place.addPart(of: entry)
        case nil: break
        }
    }

    private mutating func endRound() {
        isFilling = false
        delivery.add(assembly.close(round: round))
    }

    private mutating func stop() -> [Action] {
        isStopping = true
        hasNews = false
        delivery.add(assembly.close())
        return [.startFlushTime, .startSilence]
    }

    /// A read is under way whenever there is nothing to send, so its silence means that all is sent.
    private mutating func endSilence() -> [Action] {
        let isIdle = delivery.isIdle && assembly.isEmpty
        isFinished = isIdle && !hasNews
        hasNews = false
        return isFinished ? [] : [.startSilence]
    }

    private mutating func nextActions(_ now: Duration) -> [Action] {
        let isCrowded = place.pendingCount >= settings.entriesAheadLimit
        let number = place.number
        var actions = delivery.nextSteps(now: now, isCrowded: isCrowded)
            .map { Self.action($0, place: number) }
        if !isReading, !delivery.hasReady, !isCrowded {
            isReading = true
            actions.append(.read(after: lastRead))
        }
        if !isFilling, !assembly.isEmpty { actions.append(startRound()) }
        if !isKeeping, place.number > lastKept {
            isKeeping = true
            lastKept = place.number
            actions.append(.keepPlace(lastKept))
        }
        return actions
    }

    private static func action(_ step: ExportDelivery.Step, place: Int64) -> Action {
        switch step {
        case .send(let id, let batch): .send(id, batch)
        case .bury(let id, let refusal): .bury(id, refusal, place: place)
        case .wait(let time): .wait(until: time)
        }
    }

    private mutating func startRound() -> Action {
        isFilling = true
        round += 1
        return .startFillWait
    }
}

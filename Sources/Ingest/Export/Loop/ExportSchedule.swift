/// Decides what an export loop does next. A state machine without I/O.
///
/// At any time, at most one read, one timer of each kind and one write of the cursor are in
/// progress, and a limited number of sends. Nothing is read while a full batch waits to be sent, so
/// memory contains only the batches in flight or to be retried, one read, and an open batch per
/// signal.
struct ExportSchedule: ~Copyable {
    enum Event: Sendable {
        case read([ExportableEntry])
        case finished(Int, ExportOutcome)
        case deadLettered(Int)
        case waited(until: Duration)
        case fillWaitPassed
        case cursorSaved
        case stopRequested
        case silencePassed
        case flushTimePassed
    }

    enum Action: Sendable {
        case read(after: Int64)
        case send(Int, ExportBatch)
        /// `cursor` is the exporter's current one.
        case deadLetter(Int, DeadLetterDraft, cursor: Int64)
        case wait(until: Duration)
        case startFillWait
        case saveCursor(Int64)
        case startSilence
        case startFlushTime
    }

    private let settings: ExportLoopSettings
    private var cursor: ExportCursor
    private var coalescer: BatchCoalescer
    private var delivery: ExportDelivery
    private var lastRead: Int64
    private var lastSaved: Int64
    private var isReading = false
    private var isSaving = false
    private var isFilling = false
    /// The number of the current fill wait, or of the last one.
    private var round = 0
    private var isStopping = false
    /// Whether anything was read since the last silence started.
    private var hasNewEntries = false
    private(set) var isFinished = false

    init(cursor: Int64, batchBytesLimit: Int, settings: ExportLoopSettings) {
        self.cursor = ExportCursor(cursor)
        self.settings = settings
        coalescer = BatchCoalescer(
            bytesLimit: batchBytesLimit, recordLimit: settings.batchRecordLimit)
        delivery = ExportDelivery(batchBytesLimit: batchBytesLimit, settings: settings)
        lastRead = cursor
        lastSaved = cursor
    }

    /// The last entry up to which everything is delivered.
    var cursorNumber: Int64 { cursor.number }

    /// The number of times that the receiver accepted requests again after an outage.
    var recoveryCount: Int { delivery.recoveryCount }

    /// Returns the first actions.
    mutating func start() -> [Action] { nextActions(.zero) }

    /// - Parameters:
    ///   - now: The time since any fixed moment.
    ///   - random: A number from 0 to 1.
    mutating func take(_ event: Event, now: Duration, random: Double) -> [Action] {
        switch event {
        case .read(let entries): add(entries)
        case .finished(let id, let outcome):
            apply(delivery.take(outcome, of: id, now: now, random: random))
        case .deadLettered(let id): apply(delivery.deadLettered(id))
        case .waited(let time): delivery.waited(until: time)
        case .fillWaitPassed: endRound()
        case .cursorSaved: isSaving = false
        case .stopRequested: return stop() + nextActions(now)
        case .silencePassed: return endSilence()
        case .flushTimePassed: isFinished = true
        }
        return isFinished ? [] : nextActions(now)
    }

    private mutating func add(_ entries: [ExportableEntry]) {
        isReading = false
        hasNewEntries = hasNewEntries || !entries.isEmpty
        for entry in entries where entry.number > lastRead {
            lastRead = entry.number
            cursor.start(entry: entry.number, batchCount: entry.batches.count)
            for batch in entry.batches {
                // The current fill wait started before this batch.
                delivery.add(coalescer.add(batch, entry: entry.number, round: round + 1))
            }
        }
        if isStopping { delivery.add(coalescer.close()) }
    }

    private mutating func apply(_ progress: ExportDelivery.Progress?) {
        switch progress {
        case .finished(let batch):
            for part in batch.parts { cursor.finishBatch(of: part.entry) }
        case .divided(let entry): cursor.addBatch(of: entry)
        case nil: break
        }
    }

    private mutating func endRound() {
        isFilling = false
        delivery.add(coalescer.close(round: round))
    }

    private mutating func stop() -> [Action] {
        isStopping = true
        hasNewEntries = false
        delivery.add(coalescer.close())
        return [.startFlushTime, .startSilence]
    }

    /// A read is in progress whenever there are no batches to send, so if it returns nothing,
    /// everything has been sent.
    private mutating func endSilence() -> [Action] {
        let isIdle = delivery.isIdle && coalescer.isEmpty
        isFinished = isIdle && !hasNewEntries
        hasNewEntries = false
        return isFinished ? [] : [.startSilence]
    }

    private mutating func nextActions(_ now: Duration) -> [Action] {
        let isCrowded = cursor.inFlightCount >= settings.entriesAheadLimit
        let number = cursor.number
        var actions = delivery.nextSteps(now: now, isCrowded: isCrowded)
            .map { Self.action($0, cursor: number) }
        if !isReading, !delivery.hasReady, !isCrowded {
            isReading = true
            actions.append(.read(after: lastRead))
        }
        if !isFilling, !coalescer.isEmpty { actions.append(startRound()) }
        if !isSaving, cursor.number > lastSaved {
            isSaving = true
            lastSaved = cursor.number
            actions.append(.saveCursor(lastSaved))
        }
        return actions
    }

    private static func action(_ step: ExportDelivery.Step, cursor: Int64) -> Action {
        switch step {
        case .send(let id, let batch): .send(id, batch)
        case .deadLetter(let id, let draft): .deadLetter(id, draft, cursor: cursor)
        case .wait(let time): .wait(until: time)
        }
    }

    private mutating func startRound() -> Action {
        isFilling = true
        round += 1
        return .startFillWait
    }
}

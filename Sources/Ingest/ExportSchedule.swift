/// What one export loop does next, as a machine that neither reads, sends nor waits.
///
/// At any time there is at most one read, one timer and one note of the place under way, and no more
/// sends than allowed. Nothing new is read while a full parcel waits to be sent, so memory holds the
/// sends, one read, and an open parcel for each signal.
struct ExportSchedule: ~Copyable {
    enum Event: Sendable {
        case read([WorkedEntry])
        case delivered(entries: [Int64])
        case timerFired
        case placeKept
        case stopRequested
        case flushTimePassed
    }

    enum Action: Sendable {
        case read(after: Int64)
        /// `place`: behind which everything is done.
        case deliver(ExportParcel, place: Int64)
        case startTimer
        case keepPlace(Int64)
        case startFlushTimer
    }

    private let settings: ExportLoopSettings
    private var place: ExportPlace
    private var assembly: ExportAssembly
    private var ready: [ExportParcel] = []
    private var lastRead: Int64
    private var lastKept: Int64
    private var inFlightCount = 0
    private var isReading = false
    private var isKeeping = false
    private var hasTimer = false
    private var isStopping = false
    /// Whether anything was read since the timer was started.
    private var hasNews = false
    /// The round that the running timer ends, or the last one that it ended.
    private var round = 0
    private(set) var isFinished = false

    init(place: Int64, batchBytesLimit: Int, settings: ExportLoopSettings) {
        self.place = ExportPlace(place)
        self.settings = settings
        assembly = ExportAssembly(
            bytesLimit: batchBytesLimit, recordLimit: settings.batchRecordLimit)
        lastRead = place
        lastKept = place
    }

    /// Behind which everything is done.
    var placeNumber: Int64 { place.number }

    /// What to do at the very beginning.
    mutating func begin() -> [Action] { nextActions() }

    mutating func take(_ event: Event) -> [Action] {
        switch event {
        case .read(let entries): add(entries)
        case .delivered(let entries): finish(entries)
        case .timerFired: endRound()
        case .placeKept: isKeeping = false
        case .stopRequested: return stop() + nextActions()
        case .flushTimePassed: isFinished = true
        }
        return isFinished ? [] : nextActions()
    }

    private mutating func add(_ entries: [WorkedEntry]) {
        isReading = false
        hasNews = hasNews || !entries.isEmpty
        for entry in entries where entry.number > lastRead {
            lastRead = entry.number
            place.begin(entry.number, partCount: entry.batches.count)
            for batch in entry.batches {
                // The timer that runs began before this batch; one that does not is started next.
                ready += assembly.add(batch, entry: entry.number, round: round + 1)
            }
        }
        if isStopping { ready += assembly.close() }
    }

    private mutating func finish(_ entries: [Int64]) {
        inFlightCount -= 1
        for entry in entries { place.finishPart(of: entry) }
    }

    private mutating func endRound() {
        hasTimer = false
        ready += assembly.close(round: round)
        let isIdle = inFlightCount == 0 && ready.isEmpty && assembly.isEmpty
        // While there is a reader that would have brought news, silence means that all is sent.
        isFinished = isStopping && isIdle && !hasNews
    }

    private mutating func stop() -> [Action] {
        isStopping = true
        ready += assembly.close()
        return [.startFlushTimer]
    }

    private mutating func nextActions() -> [Action] {
        var actions: [Action] = []
        while inFlightCount < settings.inFlightLimit, !ready.isEmpty {
            inFlightCount += 1
            actions.append(.deliver(ready.removeFirst(), place: place.number))
        }
        if !isReading, ready.isEmpty, place.pendingCount < settings.entriesAheadLimit {
            isReading = true
            actions.append(.read(after: lastRead))
        }
        if !hasTimer, isStopping || !assembly.isEmpty { actions.append(startTimer()) }
        if !isKeeping, place.number > lastKept {
            isKeeping = true
            lastKept = place.number
            actions.append(.keepPlace(lastKept))
        }
        return actions
    }

    private mutating func startTimer() -> Action {
        hasTimer = true
        hasNews = false
        round += 1
        return .startTimer
    }
}

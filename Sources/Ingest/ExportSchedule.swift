/// What one export loop does next, as a machine that neither reads, sends nor waits.
///
/// At any time there is at most one read, one timer of each kind and one note of the place under way,
/// and no more sends than allowed. Nothing new is read while a full parcel waits to be sent, so memory holds the
/// sends, one read, and an open parcel for each signal.
struct ExportSchedule: ~Copyable {
    enum Event: Sendable {
        case read([WorkedEntry])
        case delivered(entries: [Int64], byteCount: Int)
        case fillWaitPassed
        case placeKept
        case stopRequested
        case silencePassed
        case flushTimePassed
    }

    enum Action: Sendable {
        case read(after: Int64)
        /// `place`: behind which everything is done.
        case deliver(ExportParcel, place: Int64)
        case startFillWait
        case keepPlace(Int64)
        case startSilence
        case startFlushTime
    }

    private let settings: ExportLoopSettings
    private var place: ExportPlace
    private var assembly: ExportAssembly
    private var ready: [ExportParcel] = []
    private var lastRead: Int64
    private var lastKept: Int64
    private var inFlightCount = 0
    private var inFlightBytes = 0
    /// So that parcels beyond the limit of a batch, which single entries may be, go one by one.
    private let inFlightBytesLimit: Int
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
        inFlightBytesLimit = batchBytesLimit * settings.inFlightLimit
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
        case .delivered(let entries, let byteCount): finish(entries, byteCount)
        case .fillWaitPassed: endRound()
        case .placeKept: isKeeping = false
        case .stopRequested: return stop() + nextActions()
        case .silencePassed: return endSilence()
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
                // The round that is under way began before this batch did.
                ready += assembly.add(batch, entry: entry.number, round: round + 1)
            }
        }
        if isStopping { ready += assembly.close() }
    }

    private mutating func finish(_ entries: [Int64], _ byteCount: Int) {
        inFlightCount -= 1
        inFlightBytes -= byteCount
        for entry in entries { place.finishPart(of: entry) }
    }

    private mutating func endRound() {
        isFilling = false
        ready += assembly.close(round: round)
    }

    private mutating func stop() -> [Action] {
        isStopping = true
        hasNews = false
        ready += assembly.close()
        return [.startFlushTime, .startSilence]
    }

    /// A read is under way whenever there is nothing to send, so its silence means that all is sent.
    private mutating func endSilence() -> [Action] {
        let isIdle = inFlightCount == 0 && ready.isEmpty && assembly.isEmpty
        isFinished = isIdle && !hasNews
        hasNews = false
        return isFinished ? [] : [.startSilence]
    }

    private mutating func nextActions() -> [Action] {
        var actions: [Action] = []
        while let parcel = ready.first, hasRoom(for: parcel) {
            ready.removeFirst()
            inFlightCount += 1
            inFlightBytes += parcel.body.count
            actions.append(.deliver(parcel, place: place.number))
        }
        if !isReading, ready.isEmpty, place.pendingCount < settings.entriesAheadLimit {
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

    private func hasRoom(for parcel: ExportParcel) -> Bool {
        guard inFlightCount > 0 else { return true }
        return inFlightCount < settings.inFlightLimit
            && inFlightBytes + parcel.body.count <= inFlightBytesLimit
    }

    private mutating func startRound() -> Action {
        isFilling = true
        round += 1
        return .startFillWait
    }
}

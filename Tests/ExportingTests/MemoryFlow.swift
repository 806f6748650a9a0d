import CallStacks
import Ingest
import SymbolIntake

/// The journal, the results and the archive of an export loop, in memory.
actor MemoryFlow: WorkedEntries {
    private var results: [WorkedEntry] = []
    private(set) var places: [Int64] = []
    private(set) var letters: [DeadLetter] = []
    /// The settings under which letters were refused once more.
    private var refusals: [Int64: String] = [:]
    private var lastLetterID: Int64 = 0
    /// How many of the next calls of any kind fail.
    private var failureCount = 0
    private(set) var failedCount = 0
    /// The largest number that was handed out.
    private(set) var lastHandedOut: Int64 = 0
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var nextWaiter = 0

    var place: Int64 { places.last ?? 0 }

    /// Adds a result for each batch, numbered on from the last.
    func add(_ batches: [ExportBatch]) {
        for batch in batches {
            results.append(WorkedEntry(number: Int64(results.count + 1), batches: [batch]))
        }
        wakeAll()
    }

    func fail(_ count: Int) { failureCount = count }

    func results(after number: Int64, bytes: Int) async throws(JournalError) -> [WorkedEntry] {
        try checkFailure()
        while number >= results.count, !Task.isCancelled { await nextChange() }
        if Task.isCancelled { return [] }
        var found: [WorkedEntry] = []
        var byteCount = 0
        for result in results[Int(number)...] where found.isEmpty || byteCount < bytes {
            found.append(result)
            byteCount += result.byteCount
        }
        lastHandedOut = max(lastHandedOut, number + Int64(found.count))
        return found
    }

    /// Waits until the place has reached a number.
    func reached(_ number: Int64) async {
        while place < number, !Task.isCancelled { await nextChange() }
    }

    private func nextChange() async {
        let waiter = nextWaiter
        nextWaiter += 1
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume()
                } else {
                    waiters[waiter] = continuation
                }
            }
        } onCancel: {
            Task { await self.wake(waiter) }
        }
    }

    private func wake(_ waiter: Int) { waiters.removeValue(forKey: waiter)?.resume() }

    private func wakeAll() {
        for waiter in waiters.values { waiter.resume() }
        waiters = [:]
    }

    private func checkFailure() throws(JournalError) {
        guard failureCount > 0 else { return }
        failureCount -= 1
        failedCount += 1
        throw JournalError(.full, "journal: disk is full: free some space")
    }
}

extension MemoryFlow: Journal {
    func place(of reader: String) throws(JournalError) -> Int64 {
        try checkFailure()
        return place
    }

    func move(_ reader: String, to number: Int64) throws(JournalError) {
        try checkFailure()
        places.append(number)
        wakeAll()
    }

    // What an export loop has no use for.

    func append(_ drafts: [JournalDraft]) -> [Int64] { [] }
    func entries(after number: Int64, count: Int, bytes: Int) -> [JournalEntry] { [] }
    func entry(_ number: Int64) -> JournalEntry? { nil }
    func readers() -> [ReaderStatus] { [] }
    func settle(_ settlement: ReaderSettlement) {}
    func waiting(for reader: String) -> Backlog { Backlog() }
    func trimUnsent(keeping bytes: Int64) -> Backlog { Backlog() }
    func commit(_ work: WorkedBatch) {}
    func backlog() -> Backlog { Backlog() }
    func workerBacklog() -> WorkerBacklog { WorkerBacklog() }
    func checkFreeSpace() {}
    func removePassed(count: Int) -> Int { 0 }
}

extension MemoryFlow: DiagnosticArchive {
    func bury(_ letter: DeadLetter, movingTo number: Int64) throws(JournalError) {
        try checkFailure()
        add(letter)
    }

    /// - Returns: Its id.
    @discardableResult
    func add(_ letter: DeadLetter) -> Int64 {
        var letter = letter
        lastLetterID += 1
        letter.id = lastLetterID
        letters.append(letter)
        wakeAll()
        return letter.id
    }

    func resendableDeadLetters(
        of exporter: String, settingsMark: String, after id: Int64, count: Int
    ) -> [DeadLetter] {
        let letters = letters.filter {
            $0.exporter == exporter && $0.id > id && $0.rejectedCount == nil
                && refusals[$0.id] != settingsMark
        }
        return Array(letters.prefix(count))
    }

    func noteRefusal(of ids: [Int64], settingsMark: String) {
        for id in ids { refusals[id] = settingsMark }
        wakeAll()
    }

    func removeDeadLetters(_ ids: [Int64]) {
        letters.removeAll { ids.contains($0.id) }
        wakeAll()
    }

    /// Waits until a condition on the letters and the ids of those that were refused again holds.
    func letters(
        fulfil condition: @Sendable ([DeadLetter], Set<Int64>) throws -> Bool
    ) async rethrows {
        while try !condition(letters, Set(refusals.keys)), !Task.isCancelled { await nextChange() }
    }

    // What an export loop has no use for.

    func diagnostics(_ query: DiagnosticQuery) -> [DiagnosticRow] { [] }
    func diagnostic(uid: String, app: String?) -> DiagnosticRow? { nil }
    func diagnostic(at place: RecordPlace) -> DiagnosticRow? { nil }
    func revisions(ofEntry number: Int64) -> [KnownRevision] { [] }
    func advance(_ steps: [RevisionStep]) -> Bool { true }
    func isKnown(payload key: EntryKey) -> Bool { false }
    func missingImages(_ query: MissingQuery) -> [MissingImage] { [] }
    func awaitedImages(after last: AwaitedImage?, count: Int) -> [AwaitedImage] { [] }
    func wake(waitingFor image: ArrivedImage, since oldest: UnixTime, due: UnixTime) -> Int { 0 }
    func takeUp(count: Int, now: UnixTime) -> [JournalEntry] { [] }
    func removeDiagnostics(before oldest: UnixTime, keeping bytes: Int64, count: Int) -> Int { 0 }
    func deadLetters(after id: Int64, count: Int) -> [DeadLetter] { [] }
    func deadLetterCounts() -> [DeadLetterCount] { [] }
    func removeDeadLetters(before oldest: UnixTime, keeping bytes: Int64, count: Int) -> Int { 0 }
}

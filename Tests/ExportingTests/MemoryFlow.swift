import CallStacks
import Ingest
import Problems

/// The journal, the results and the archive of an export loop, in memory.
actor MemoryFlow: ExportSource {
    private var results: [ExportableEntry] = []
    private(set) var cursors: [Int64] = []
    private(set) var letters: [DeadLetter] = []
    /// The letters whose claims were given up.
    private(set) var released: [Int64] = []
    /// The settings under which letters were refused once more.
    private var refusals: [Int64: String] = [:]
    private var lastLetterID: Int64 = 0
    /// The number of next calls of any kind that fail.
    private var failureCount = 0
    private(set) var failedCount = 0
    /// The greatest number returned so far.
    private(set) var lastHandedOut: Int64 = 0
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var nextWaiter = 0

    var cursor: Int64 { cursors.last ?? 0 }

    /// Adds a result for each batch, numbered on from the last.
    func add(_ batches: [ExportBatch]) {
        for batch in batches {
            results.append(ExportableEntry(number: Int64(results.count + 1), batches: [batch]))
        }
        wakeAll()
    }

    func fail(_ count: Int) { failureCount = count }

    func results(
        after number: Int64, bytes: Int, for exporter: String
    ) async throws(JournalError) -> [ExportableEntry] {
        try checkFailure()
        while number >= results.count, !Task.isCancelled { await nextChange() }
        if Task.isCancelled { return [] }
        var found: [ExportableEntry] = []
        var byteCount = 0
        for result in results[Int(number)...] where found.isEmpty || byteCount < bytes {
            found.append(result)
            byteCount += result.byteCount
        }
        lastHandedOut = max(lastHandedOut, number + Int64(found.count))
        return found
    }

    /// Waits until the cursor has reached a number.
    func reached(_ number: Int64) async {
        while cursor < number, !Task.isCancelled { await nextChange() }
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
        throw JournalError(
            .full, Problem("journal", detail: "disk is full", suggestion: "free some space"))
    }
}

extension MemoryFlow: Journal {
    func cursor(of reader: String) throws(JournalError) -> Int64 {
        try checkFailure()
        return cursor
    }

    func advance(_ reader: String, to number: Int64) throws(JournalError) {
        try checkFailure()
        cursors.append(number)
        wakeAll()
    }

    // Unused by an export loop.

    func appended(_ keys: [EntryKey]) -> Set<EntryKey> { [] }
    func append(_ drafts: [JournalDraft]) -> [Int64?] { [] }
    func entries(after number: Int64, count: Int, bytes: Int) -> [JournalEntry] { [] }
    func entry(_ number: Int64) -> JournalEntry? { nil }
    func entries(_ numbers: [Int64], bytes: Int) -> [JournalEntry] { [] }
    func readers() -> [ReaderStatus] { [] }
    func reconcile(_ reconciliation: ReaderReconciliation) {}
    func backlog(of reader: String) -> Backlog { Backlog() }
    func trimUnsent(keeping bytes: Int64) -> Backlog { Backlog() }

    func dropUnsent(before oldest: UnixTime, count: Int) -> Backlog { Backlog() }
    func commit(_ commit: WorkerCommit) {}
    func backlog() -> Backlog { Backlog() }
    func workerBacklog() -> WorkerBacklog { WorkerBacklog() }
    func checkFreeSpace() {}
    func removePassed(count: Int) -> Int { 0 }
}

extension MemoryFlow: DeadLetterArchive {
    func deadLetter(_ letter: DeadLetter, advancingTo number: Int64) throws(JournalError) {
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

    func deadLetterSummaries(after id: Int64, count: Int) -> [DeadLetterSummary] { [] }

    func resendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int,
        for claimant: DeadLetterClaimant
    ) -> [DeadLetter] {
        let letters = letters.filter {
            $0.exporter == exporter && $0.id > id && $0.rejectedCount == nil
                && refusals[$0.id] != settingsFingerprint
        }
        return Array(letters.prefix(count))
    }

    func claimDeadLetter(
        among ids: [Int64]?, after id: Int64, for claimant: DeadLetterClaimant
    ) -> DeadLetter? {
        letters.first { $0.id > id && ids?.contains($0.id) ?? true }
    }

    func releaseDeadLetters(_ ids: [Int64], of claimant: DeadLetterClaimant) { released += ids }

    func recordRefusal(of ids: [Int64], settingsFingerprint: String) {
        for id in ids { refusals[id] = settingsFingerprint }
        wakeAll()
    }

    func deadLetterCounts() throws(JournalError) -> [DeadLetterCount] {
        try checkFailure()
        return Dictionary(grouping: letters, by: \.exporter).map { exporter, letters in
            DeadLetterCount(
                exporter: exporter, letterCount: letters.count,
                recordCount: letters.reduce(0) { $0 + $1.recordCount })
        }
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

    // Unused by an export loop.

    func removeDeadLetters(before oldest: UnixTime, keeping bytes: Int64, count: Int) -> Int { 0 }
}

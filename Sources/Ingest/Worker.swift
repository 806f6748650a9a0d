import CallStacks
import Logging
public import ServiceLifecycle
import Synchronization
import Tracing

/// Takes entries from the journal in order, symbolicates their diagnostics, keeps what was found, and
/// hands the results to the exporters.
///
/// Entries of a run are worked on side by side; a run is committed before the next one begins, so a
/// worker that is killed begins again with the run that was not committed, and nothing is lost or
/// kept twice. Its results may then go out twice.
public final class Worker: Service {
    private let work: EntryWork
    private let journal: any Journal
    private let ring: ResultRing
    private let arrivals: Wakeup
    private let backpressure: Backpressure
    private let lateSymbols: LateSymbols
    private let width: Int
    private let logger: Logger
    private let metrics: IngestMetrics

    /// How many entries one run has at most, and how many bytes of bodies.
    static let runCount = 128
    static let runBytes = 4 << 20
    /// How long it waits before it tries again what the journal refused.
    private static let retryDelay = Duration.seconds(1)
    /// How long it sleeps when nobody wakes it.
    private static let idleDelay = Duration.seconds(1)

    init(
        work: EntryWork, ring: ResultRing, arrivals: Wakeup, backpressure: Backpressure,
        lateSymbols: LateSymbols, width: Int, metrics: IngestMetrics, logger: Logger
    ) {
        self.work = work
        journal = work.journal
        self.ring = ring
        self.arrivals = arrivals
        self.backpressure = backpressure
        self.lateSymbols = lateSymbols
        self.width = max(width, 1)
        self.metrics = metrics
        self.logger = logger
    }

    /// Works until the service stops, and then on until nothing is left.
    public func run() async throws {
        var isStopping = false
        while !Task.isCancelled {
            do throws(JournalError) {
                let hadWork = try await runOnce()
                if !hadWork, isStopping { return }
                if !hadWork { await waitForWork() }
            } catch {
                logger.error("\(error)")
                try? await Task.sleep(for: Self.retryDelay)
            }
            isStopping = Task.isShuttingDownGracefully
        }
    }

    /// Works on the next entries.
    ///
    /// - Returns: Whether there were any.
    func runOnce() async throws(JournalError) -> Bool {
        await ring.waitForRoom(whileWaiting: backpressure.holdUp)
        let start = ContinuousClock.now
        let read = try await journal.entries(
            after: ring.lastNumber, count: Self.runCount, bytes: Self.runBytes)
        let entries = Self.withoutRepeatedRevisions(read)
        guard let last = entries.last?.number else { return false }
        let span = startSpan("work")
        span.attributes["entries"] = entries.count
        defer { span.end() }
        let arrivalsBefore = lateSymbols.log.end
        let outcomes = try await outcomes(of: entries, because: .arrival)
        let batch = WorkedBatch(
            lastNumber: last, diagnostics: outcomes.flatMap(\.diagnostics),
            revised: outcomes.flatMap(\.revised), expected: outcomes.flatMap(\.expected),
            payloads: outcomes.compactMap(\.payload))
        do throws(JournalError) { try await journal.commit(batch) } catch {
            // The next run works on the same entries, from the revisions of now.
            guard error.reason == .overtaken else { throw error }
            return true
        }
        ring.publish(outcomes.map(\.result), upTo: last)
        await backpressure.worked(in: start.duration(to: .now))
        metrics.count(outcomes, of: entries)
        await lateSymbols.wakeAgain(batch.wantedImages, since: arrivalsBefore)
        return true
    }

    /// Entries up to where a diagnostic is sent a second time: two revisions are not worked on at once,
    /// because each must know the one before it.
    private static func withoutRepeatedRevisions(_ entries: [JournalEntry]) -> [JournalEntry] {
        var seen: Set<RevisionReference> = []
        return Array(
            entries.prefix { entry in
                entry.draft.signal != .revision
                    || seen.insert(RevisionReference(entry.draft.body)).inserted
            })
    }

    private func waitForWork() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.arrivals.wait(atMost: Self.idleDelay) }
            group.addTask { try? await gracefulShutdown() }
            await group.next()
            group.cancelAll()
        }
    }

    /// Works on entries, a few side by side, and returns what became of them in their order.
    func outcomes(
        of entries: [JournalEntry], because reason: WorkReason
    ) async throws(JournalError) -> [EntryOutcome] {
        let turns = Turns(count: entries.count)
        let results = await withTaskGroup(of: [(Int, Result<EntryOutcome, JournalError>)].self) {
            group in
            for _ in 0..<min(width, entries.count) {
                group.addTask { await self.outcomes(of: entries, turns, because: reason) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        var outcomes: [EntryOutcome] = []
        for (_, result) in results.sorted(by: { $0.0 < $1.0 }) { outcomes.append(try result.get()) }
        return outcomes
    }

    /// Works on whichever entry is the next one until none is left.
    private func outcomes(
        of entries: [JournalEntry], _ turns: Turns, because reason: WorkReason
    ) async -> [(Int, Result<EntryOutcome, JournalError>)] {
        var outcomes: [(Int, Result<EntryOutcome, JournalError>)] = []
        while let position = turns.next() {
            outcomes.append((position, await outcome(of: entries[position], because: reason)))
            // Requests that come in wait for the same threads.
            await Task.yield()
        }
        return outcomes
    }

    /// Whose turn it is, of some entries.
    private final class Turns: Sendable {
        private let count: Int
        private let taken = Atomic(0)

        init(count: Int) { self.count = count }

        func next() -> Int? {
            let position = taken.add(1, ordering: .relaxed).oldValue
            return position < count ? position : nil
        }
    }

    private func outcome(
        of entry: JournalEntry, because reason: WorkReason
    ) async -> Result<EntryOutcome, JournalError> {
        do throws(JournalError) {
            return .success(try await work.outcome(of: entry, because: reason))
        } catch { return .failure(error) }
    }
}

extension Worker: WorkedEntries {
    /// How many entries are made again at once for an exporter that is behind.
    private static let repetitionCount = 16

    public func results(
        after number: Int64, bytes: Int
    ) async throws(JournalError) -> [WorkedEntry] {
        while !Task.isCancelled {
            switch ring.read(after: number, bytes: bytes) {
            case .results(let results) where !results.isEmpty: return results
            case .results: await ring.wait(behind: number)
            case .gone: return try await repeated(after: number, bytes: bytes)
            }
        }
        return []
    }

    /// Results that are no longer at hand, made once more; at least one.
    private func repeated(
        after number: Int64, bytes: Int
    ) async throws(JournalError) -> [WorkedEntry] {
        let last = ring.lastNumber
        let entries = try await journal.entries(
            after: number, count: Self.repetitionCount, bytes: bytes)
        let worked = entries.filter { $0.number <= last }
        // Then the journal holds nothing up to there, and the reader goes on from there.
        if worked.isEmpty { return [WorkedEntry(number: last, batches: [])] }
        return try await outcomes(of: worked, because: .repetition).map(\.result)
    }
}

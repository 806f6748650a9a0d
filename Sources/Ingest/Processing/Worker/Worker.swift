import CallStacks
import Logging
public import ServiceLifecycle
import SymbolIntake
import TaskCoordination
import Tracing

/// Processes the entries of the journal in order, stores the diagnostics, and passes the results to
/// the exporters.
///
/// The worker processes the entries of a run concurrently, and the next run while a run is
/// committed. Runs are committed in order. If the worker is killed, it starts again with the first
/// run that was not committed, so nothing is lost or stored twice. The results of that run may be
/// exported twice.
public final class Worker: Service {
    let processor: EntryProcessor
    private let journal: any Journal
    private let buffer: ResultBuffer
    private let newEntries: Wakeup
    private let backpressure: Backpressure
    private let width: Int
    private let logger: Logger
    private let metrics: IngestMetrics

    /// The maximum number of entries in a run, and of bytes of their bodies.
    static let runCount = 128
    static let runBytes = 4 << 20
    /// The time between two runs, so that entries share a commit. A commit writes the same pages
    /// and syncs the disk however few entries it has, and requests wait for it.
    private static let gatheringTime = Duration.milliseconds(50)
    /// The number of waiting entries at which the next run starts at once.
    private static let largeRunCount = 64
    /// The maximum number of revisions in a run. Each revision changes rows in many places, and
    /// requests wait while a commit stores them.
    private static let revisionCount = 96
    /// The pause before failed writes to the journal are retried.
    private static let retryDelay = Duration.seconds(1)
    /// The number of failures after which a worker that stops leaves the entries to the next start,
    /// or to another node. Nothing is lost, because they are in the journal.
    private static let stoppingFailureLimit = 3
    /// The longest pause without new entries.
    private static let idleDelay = Duration.seconds(1)

    init(
        processor: EntryProcessor, buffer: ResultBuffer, newEntries: Wakeup,
        backpressure: Backpressure, width: Int, metrics: IngestMetrics, logger: Logger
    ) {
        self.processor = processor
        journal = processor.journal
        self.buffer = buffer
        self.newEntries = newEntries
        self.backpressure = backpressure
        self.width = width
        self.metrics = metrics
        self.logger = logger
    }

    /// Runs until the service stops and all entries are processed, or the journal fails repeatedly
    /// while it stops.
    ///
    /// - Throws: `JournalError` with the reason `unreadable` if the next entry is of a later version.
    public func run() async throws {
        var isStopping = false
        var failuresLeft = Self.stoppingFailureLimit
        while !Task.isCancelled {
            do throws(JournalError) {
                try await drain()
                if isStopping { return }
                await waitForWork()
            } catch {
                if error.reason == .unreadable { throw error }
                logger.error("\(error)")
                // The exporters may still free space on a full disk.
                if isStopping, error.reason != .full { failuresLeft -= 1 }
                guard failuresLeft > 0 else { return }
                try? await Task.sleep(for: Self.retryDelay)
            }
            isStopping = Task.isShuttingDownGracefully
        }
    }

    /// Processes entries until none is left.
    func drain() async throws(JournalError) {
        var lastEnd = ContinuousClock.now
        var ready = try await nextRun()
        while let run = ready, !Task.isCancelled {
            do {
                async let next = result { () async throws(JournalError) in
                    try await self.nextRun(after: run)
                }
                let isCommitted = try await commit(run, since: max(run.start, lastEnd))
                lastEnd = .now
                ready = isCommitted ? try await next.get() : nil
            }
            // If the run was not committed, processing the one after it has been cancelled here.
            if ready == nil { ready = try await nextRun() }
        }
    }

    /// Waits until enough entries may have accumulated since a run.
    private func gather(after last: WorkerRun) async {
        guard last.waitingCount < Self.largeRunCount else { return }
        try? await Task.sleep(until: last.start.advanced(by: Self.gatheringTime))
    }

    /// Processes the next run of entries.
    ///
    /// - Parameter last: The run that is being committed, or `nil` if there is none.
    /// - Returns: `nil` if no entry is left, or if the next one sends a diagnostic of that run
    ///   again.
    private func nextRun(after last: WorkerRun? = nil) async throws(JournalError) -> WorkerRun? {
        await buffer.waitForRoom(whileWaiting: backpressure.recordWaitForExporters)
        if let last { await gather(after: last) }
        let start = ContinuousClock.now
        let read = try await journal.entries(
            after: last?.lastNumber ?? buffer.lastNumber, count: Self.runCount,
            bytes: Self.runBytes)
        let entries = Self.withoutRepeatedRevisions(read, after: last?.entries ?? [])
        guard !entries.isEmpty else { return nil }
        let span = startSpan("work")
        span.attributes["entries"] = entries.count
        defer { span.end() }
        // Before the first lookup of the run.
        let symbolsSeen = processor.symbolChanges.lastReflected
        let processed = try await process(entries, .first)
        return WorkerRun(
            entries: entries, waitingCount: read.count, processed: processed,
            symbolsSeen: symbolsSeen, start: start)
    }

    /// Stores the results of a run, divided into commits of the size that the journal recommends,
    /// and passes the results of each commit to the exporters.
    ///
    /// - Parameter start: The time at which processing the run started.
    /// - Returns: `false` if one of its diagnostics was revised since. The entries are then
    ///   processed again, after the revisions stored meanwhile.
    private func commit(
        _ run: WorkerRun, since start: ContinuousClock.Instant
    ) async throws(JournalError) -> Bool {
        let count = journal.diagnosticsPerCommit(inRunOf: run.diagnosticCount)
        for part in run.parts(ofDiagnostics: count) {
            guard try await commit(part, symbolsSeen: run.symbolsSeen) else { return false }
        }
        await backpressure.worked(in: start.duration(to: .now))
        return true
    }

    private func commit(
        _ processed: ArraySlice<ProcessedEntry>, symbolsSeen: Int64
    ) async throws(JournalError) -> Bool {
        let start = ContinuousClock.now
        let commit = WorkerCommit(of: processed, symbolsSeen: symbolsSeen)
        do throws(JournalError) { try await journal.commit(commit) } catch {
            if error.reason == .conflict { return false }
            guard try await isStored(commit, despite: error) else { throw error }
        }
        metrics.recordCommit(taking: start.duration(to: .now))
        buffer.publish(processed.map(\.exportable), upTo: commit.lastNumber)
        metrics.count(processed)
        logPostponement(of: commit.postponed.count)
        return true
    }

    /// Returns whether a failed commit has taken effect, which is possible if only its confirmation
    /// was lost. In that case its entries must not be processed again, because records that it
    /// released or revised would not be exported.
    ///
    /// - Throws: `failure` if the task is cancelled before the journal responds.
    private func isStored(
        _ commit: WorkerCommit, despite failure: JournalError
    ) async throws(JournalError) -> Bool {
        while failure.reason != .closed, !Task.isCancelled {
            do throws(JournalError) {
                // Does not move the cursor, but waits until the commit is on disk or can no longer
                // take effect.
                try await journal.advance(JournalReaders.worker, to: 0)
                return try await journal.cursor(of: JournalReaders.worker) >= commit.lastNumber
            } catch {
                if error.reason == .closed { throw error }
                logger.error("\(error)")
                try? await Task.sleep(for: Self.retryDelay)
            }
        }
        throw failure
    }

    private func logPostponement(of count: Int) {
        guard count > 0 else { return }
        logger.warning(
            "archive: requests of \(count) diagnostics are unavailable: the diagnostics will be sent again later"
        )
    }

    /// Returns the result of an operation with the type of its error, which `async let` loses.
    private func result<Value: Sendable>(
        _ body: () async throws(JournalError) -> Value
    ) async -> Result<Value, JournalError> {
        do throws(JournalError) {
            return .success(try await body())
        } catch { return .failure(error) }
    }

    /// Returns the entries before the first one that sends the same diagnostic again, and no more
    /// than ``revisionCount`` that send one. Each revision depends on the previous one, so two are
    /// not processed before the first is stored.
    ///
    /// - Parameter last: Entries that are not stored yet.
    private static func withoutRepeatedRevisions(
        _ entries: [JournalEntry], after last: [JournalEntry]
    ) -> [JournalEntry] {
        var seen = Set(last.compactMap(\.revised))
        let limit = seen.count + revisionCount
        return Array(
            entries.prefix { entry in
                guard let revised = entry.revised else { return true }
                return seen.count < limit && seen.insert(revised).inserted
            })
    }

    private func waitForWork() async {
        await cancelWhenGracefulShutdown { await self.newEntries.wait(atMost: Self.idleDelay) }
    }

    private func process(
        _ entries: [JournalEntry], _ pass: ProcessingPass
    ) async throws(JournalError) -> [ProcessedEntry] {
        let sources = try await RevisionSources(of: entries, for: processor, bytes: Self.runBytes)
        let results = await withTaskExecutorPreference(BackgroundThreads.shared) {
            await entries.concurrentMap(width: width) {
                [processor] entry -> Result<ProcessedEntry, JournalError> in
                do throws(JournalError) {
                    return .success(try await processor.process(entry, pass, from: sources))
                } catch { return .failure(error) }
            }
        }
        var processed: [ProcessedEntry] = []
        for result in results { processed.append(try result.get()) }
        return processed
    }
}

extension Worker: ExportSource {
    /// The maximum number of entries that are recomputed at once for a lagging exporter.
    private static let replayCount = 16

    public func results(
        after number: Int64, bytes: Int, for exporter: String
    ) async throws(JournalError) -> [ExportableEntry] {
        while !Task.isCancelled {
            switch buffer.read(after: number, bytes: bytes, for: exporter) {
            case .results(let results) where !results.isEmpty: return results
            case .results: await buffer.wait(after: number)
            case .dropped: return try await replayed(after: number, bytes: bytes)
            }
        }
        return []
    }

    /// Recomputes results that are no longer in the buffer; at least one.
    private func replayed(
        after number: Int64, bytes: Int
    ) async throws(JournalError) -> [ExportableEntry] {
        let last = buffer.lastNumber
        let entries = try await journal.entries(
            after: number, count: Self.replayCount, bytes: bytes)
        let processed = entries.filter { $0.number <= last }
        // If the journal has no entries up to `last`, the reader continues from there.
        if processed.isEmpty { return [ExportableEntry(number: last, batches: [])] }
        return try await process(processed, .replay).map(\.exportable)
    }
}

import CallStacks
import Logging
public import ServiceLifecycle
import TaskCoordination
import Tracing

/// Processes the entries of the journal in order, stores the diagnostics, and passes the results to the
/// exporters.
///
/// The worker processes the entries of a run concurrently, and commits a run before it starts the next.
/// If it is killed, it starts again with the run that was not committed, so nothing is lost or stored
/// twice. The results of that run may be exported twice.
public final class Worker: Service {
    let processor: EntryProcessor
    private let journal: any Journal
    private let buffer: ResultBuffer
    private let newEntries: Wakeup
    private let backpressure: Backpressure
    private let lateSymbols: LateSymbols
    private let width: Int
    private let logger: Logger
    private let metrics: IngestMetrics

    /// The maximum entries of a run, and bytes of their bodies.
    static let runCount = 128
    static let runBytes = 4 << 20
    /// The pause before writes that the journal refused are retried.
    private static let retryDelay = Duration.seconds(1)
    /// The longest pause without new entries.
    private static let idleDelay = Duration.seconds(1)

    init(
        processor: EntryProcessor, buffer: ResultBuffer, newEntries: Wakeup,
        backpressure: Backpressure, lateSymbols: LateSymbols, width: Int, metrics: IngestMetrics,
        logger: Logger
    ) {
        self.processor = processor
        journal = processor.journal
        self.buffer = buffer
        self.newEntries = newEntries
        self.backpressure = backpressure
        self.lateSymbols = lateSymbols
        self.width = width
        self.metrics = metrics
        self.logger = logger
    }

    /// Runs until the service stops and no entry is left.
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

    /// Processes the next run of entries.
    ///
    /// - Returns: Whether there were any.
    func runOnce() async throws(JournalError) -> Bool {
        await buffer.waitForRoom(whileWaiting: backpressure.holdUp)
        let start = ContinuousClock.now
        let read = try await journal.entries(
            after: buffer.lastNumber, count: Self.runCount, bytes: Self.runBytes)
        let entries = Self.withoutRepeatedRevisions(read)
        guard let last = entries.last?.number else { return false }
        let span = startSpan("work")
        span.attributes["entries"] = entries.count
        defer { span.end() }
        let symbolArrivals = lateSymbols.arrivals.end
        let processed = try await process(entries, .first)
        let commit = WorkerCommit(
            lastNumber: last, diagnostics: processed.flatMap(\.diagnostics),
            revised: processed.flatMap(\.revised), expected: processed.flatMap(\.expected),
            payloads: processed.compactMap(\.payload))
        do throws(JournalError) { try await journal.commit(commit) } catch {
            // The next run processes the same entries, after the revisions stored since.
            guard error.reason == .conflict else { throw error }
            return true
        }
        buffer.publish(processed.map(\.exportable), upTo: last)
        await backpressure.worked(in: start.duration(to: .now))
        metrics.count(processed)
        await lateSymbols.wakeAgain(commit.wantedImages, since: symbolArrivals)
        return true
    }

    /// Returns the entries before the first one that sends the same diagnostic again. Each revision depends
    /// on the previous one, so two are not processed in one run.
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
            group.addTask { await self.newEntries.wait(atMost: Self.idleDelay) }
            group.addTask { try? await gracefulShutdown() }
            await group.next()
            group.cancelAll()
        }
    }

    private func process(
        _ entries: [JournalEntry], _ pass: ProcessingPass
    ) async throws(JournalError) -> [ProcessedEntry] {
        let sources = try await RevisionSources(of: entries, for: processor, bytes: Self.runBytes)
        let results = await entries.concurrentMap(width: width) {
            [processor] entry -> Result<ProcessedEntry, JournalError> in
            do throws(JournalError) {
                return .success(try await processor.process(entry, pass, from: sources))
            } catch { return .failure(error) }
        }
        var processed: [ProcessedEntry] = []
        for result in results { processed.append(try result.get()) }
        return processed
    }
}

extension Worker: ExportSource {
    /// The number of entries that are recomputed at once for an exporter that lags.
    private static let replayCount = 16

    public func results(
        after number: Int64, bytes: Int
    ) async throws(JournalError) -> [ExportableEntry] {
        while !Task.isCancelled {
            switch buffer.read(after: number, bytes: bytes) {
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

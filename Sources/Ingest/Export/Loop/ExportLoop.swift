public import CallStacks
public import Logging
public import Metrics
public import ServiceLifecycle

/// Sends the worker's results to one exporter, starting at the exporter's cursor in the journal.
///
/// Every record is delivered at least once. The cursor moves only past entries whose records are
/// all accepted or stored as dead letters, so nothing is lost if the process is killed at any
/// moment, and the next start resends everything after the cursor. A graceful stop sends the
/// remaining records and saves the cursor. Dead letters of the exporter are resent when they may
/// succeed; see ``DeadLetterRetrySchedule``.
public struct ExportLoop: Service {
    let exporter: any Exporter
    let source: any ExportSource
    let journal: any Journal
    let deadLetters: any DeadLetterQueue
    let settings: ExportLoopSettings
    let metrics: ExportMetrics
    /// The fingerprint of the exporter's settings, under which dead letters may be accepted.
    let settingsFingerprint: String
    let history = RequestHistory()
    /// The identity under which this loop claims dead letters. The loops of other lanes and nodes
    /// resend letters of the same exporter.
    let claimant = DeadLetterClaimant()
    /// The board on which the outcomes of requests are shown.
    let board: ExporterStatusBoard
    private let start = ContinuousClock.now
    /// The wall-clock time for dead letters and delays. All nodes of a cluster share it.
    let wallTime: @Sendable () -> UnixTime
    /// Returns a number from 0 to 1.
    let random: @Sendable () -> Double

    public init(
        exporter: any Exporter, source: any ExportSource, journal: any Journal,
        deadLetters: any DeadLetterQueue, settings: ExportLoopSettings,
        settingsFingerprint: String, board: ExporterStatusBoard = ExporterStatusBoard(),
        logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory,
        wallTime: @escaping @Sendable () -> UnixTime,
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.exporter = exporter
        self.source = source
        self.journal = journal
        self.deadLetters = deadLetters
        self.settings = settings
        self.settingsFingerprint = settingsFingerprint
        self.board = board
        self.metrics = ExportMetrics(exporter: exporter.name, logger: logger, metrics: metrics)
        self.wallTime = wallTime
        self.random = random
    }

    /// Exports until the service stops. It never throws, because it retries everything that fails.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await exporter.run() }
            group.addTask { await resendDeadLetters() }
            await export()
            group.cancelAll()
        }
    }

    /// The time since the loop was created.
    var now: Duration { start.duration(to: .now) }

    private func export() async {
        let cursor = await retrying { () async throws(JournalError) in
            try await journal.cursor(of: exporter.name)
        }
        guard let cursor else { return }
        let reached = await export(after: cursor)
        guard reached > cursor else { return }
        // An earlier write may have been cancelled. If this one fails, the next start resends
        // everything after the last stored cursor.
        do { try await journal.advance(exporter.name, to: reached) } catch {
            metrics.record(error, now: now)
        }
    }

    /// Runs the schedule, and returns the cursor at its end.
    private func export(after cursor: Int64) async -> Int64 {
        var schedule = ExportSchedule(
            cursor: cursor, batchBytesLimit: exporter.batchBytesLimit, settings: settings)
        return await withTaskGroup(of: ExportSchedule.Event?.self) { group in
            for action in schedule.start() { group.addTask { await event(after: action) } }
            group.addTask {
                // Throws if the task is cancelled, in which case the event is not needed.
                do { try await gracefulShutdown() } catch { return nil }
                return .stopRequested
            }
            while !schedule.isFinished, let event = await group.next(), let event {
                for action in schedule.take(event, now: now, random: random()) {
                    group.addTask { await self.event(after: action) }
                }
                history.recoveryCount = schedule.recoveryCount
            }
            group.cancelAll()
            return schedule.cursorNumber
        }
    }
}

public import CallStacks
public import Logging
public import Metrics
public import ServiceLifecycle

/// Sends what the worker found on to one exporter, from the exporter's place in the journal on.
///
/// Every record is handed over at least once. The place moves only over entries all of whose records
/// are taken or kept as dead letters, so that a kill at any moment loses nothing and sends again
/// what came behind the place. A graceful stop sends what is there and keeps the place. Dead letters
/// of the exporter are sent once more when it may take them; see ``DeadLetterRound``.
public struct ExportLoop<Time: Clock>: Service where Time.Duration == Duration {
    let exporter: any Exporter
    let entries: any WorkedEntries
    let journal: any Journal
    let archive: any DiagnosticArchive
    let settings: ExportLoopSettings
    let tidings: ExportTidings
    /// What tells the settings of the exporter from others, under which a dead letter may be taken.
    let settingsMark: String
    let progress = ExportProgress()
    let clock: Time
    private let start: Time.Instant
    /// What dead letters are dated by.
    let wallTime: @Sendable () -> UnixTime
    /// A number from 0 to 1.
    let random: @Sendable () -> Double

    public init(
        exporter: any Exporter, entries: any WorkedEntries, journal: any Journal,
        archive: any DiagnosticArchive, settings: ExportLoopSettings, settingsMark: String = "",
        logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory, clock: Time = ContinuousClock(),
        wallTime: @escaping @Sendable () -> UnixTime,
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.exporter = exporter
        self.entries = entries
        self.journal = journal
        self.archive = archive
        self.settings = settings
        self.settingsMark = settingsMark
        tidings = ExportTidings(exporter: exporter.name, logger: logger, metrics: metrics)
        self.clock = clock
        start = clock.now
        self.wallTime = wallTime
        self.random = random
    }

    /// Sends until it is stopped. Never throws: whatever fails is tried again.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await exporter.run() }
            group.addTask { await resendDeadLetters() }
            await send()
            group.cancelAll()
        }
    }

    /// Since the loop was made.
    var now: Duration { start.duration(to: clock.now) }

    private func send() async {
        let place = await insisting { () async throws(JournalError) in
            try await journal.place(of: exporter.name)
        }
        guard let place else { return }
        let reached = await send(behind: place)
        guard reached > place else { return }
        // The notes before may have been cut off; and if this one fails, the next start sends again
        // what came after the last of them.
        do { try await journal.move(exporter.name, to: reached) } catch {
            tidings.note(error, now: now)
        }
    }

    /// Runs the schedule, and returns the place behind which everything is done.
    private func send(behind place: Int64) async -> Int64 {
        var schedule = ExportSchedule(
            place: place, batchBytesLimit: exporter.batchBytesLimit, settings: settings)
        return await withTaskGroup(of: ExportSchedule.Event?.self) { group in
            for action in schedule.begin() { group.addTask { await event(after: action) } }
            group.addTask {
                // Throws when the task is cancelled, and then nobody listens any more.
                do { try await gracefulShutdown() } catch { return nil }
                return .stopRequested
            }
            while !schedule.isFinished, let event = await group.next(), let event {
                for action in schedule.take(event, now: now, random: random()) {
                    group.addTask { await self.event(after: action) }
                }
                progress.recoveryCount = schedule.recoveryCount
            }
            group.cancelAll()
            return schedule.placeNumber
        }
    }
}

public import CallStacks
import Logging
public import ServiceLifecycle
import SymbolIntake
import TaskCoordination

/// Sends diagnostics again when their symbols arrive. Held diagnostics are sent at the latest when
/// their hold expires.
///
/// The archive stores which diagnostics wait, and each arrival of symbols is recorded in the write
/// that stores them, so a restart loses none. The diagnostics are processed through the journal, a
/// few at a time, so that new entries keep their share of the worker even if many diagnostics are
/// due at once.
public struct LateSymbols: Service {
    let archive: any DiagnosticArchive
    private let journal: any Journal
    let symbolChanges: any SymbolChanges
    private let newEntries: Wakeup
    private let windowSeconds: Int64
    private let resendsForSystem: Bool
    private let debounceSeconds: Int64
    private let logger: Logger
    private let now: @Sendable () -> UnixTime

    /// The number of diagnostics that each round enqueues, even while the worker is busy with new
    /// entries.
    static let leastCount = 16
    /// The worker's backlog, in entries, up to which each round fills the journal: more than the
    /// worker processes during a round, and small enough that new entries are processed within a
    /// second.
    static let fullBacklog = 768
    private static let roundDelay = Duration.milliseconds(50)
    private static let idleDelay = Duration.seconds(1)
    /// The number of steps of ``stepAwakenings()``, after which due diagnostics are enqueued.
    private static let stepsPerRound = 64

    /// - Parameters:
    ///   - newEntries: Wakes the worker.
    ///   - windowSeconds: The maximum age of a diagnostic that is sent again.
    ///   - resendsForSystem: Whether symbols of Apple's system images cause re-sends. Every
    ///     diagnostic may wait for the same image.
    ///   - debounceSeconds: The time without further symbols before a diagnostic is sent again.
    init(
        archive: any DiagnosticArchive, journal: any Journal, symbolChanges: any SymbolChanges,
        newEntries: Wakeup, windowSeconds: Int64, resendsForSystem: Bool,
        debounceSeconds: Int64,
        logger: Logger,
        now: @escaping @Sendable () -> UnixTime
    ) {
        self.archive = archive
        self.journal = journal
        self.symbolChanges = symbolChanges
        self.newEntries = newEntries
        self.windowSeconds = windowSeconds
        self.resendsForSystem = resendsForSystem
        self.debounceSeconds = debounceSeconds
        self.logger = logger
        self.now = now
    }

    /// Marks the diagnostics that wait for images of an upload that has ended. If the write fails,
    /// for instance because the disk is full, ``run()`` marks them later.
    ///
    /// - Returns: The number of diagnostics that will be sent again.
    public func symbolsArrived(of images: [ImageID]) async throws(JournalError) -> Int {
        let arrived = Set(images)
        var count = 0
        for image in try await archive.awakenedImages() where arrived.contains(image) {
            var step: AwakeningStep
            repeat {
                step = try await archive.stepAwakening(of: image, terms)
                count += step.markedCount
            } while !step.isLast
        }
        return count
    }

    /// Marks some of the diagnostics that wait for images whose symbols have arrived, except for
    /// those of uploads that are being processed.
    ///
    /// Such diagnostics remain if an earlier process was killed, if a write failed, or if the
    /// symbols arrived while the worker was processing the run that found them missing.
    ///
    /// - Returns: The number of steps.
    func stepAwakenings() async throws(JournalError) -> Int {
        var stepCount = 0
        for image in try await archive.awakenedImages() where !symbolChanges.isArriving(image) {
            var step = AwakeningStep(isLast: false)
            while !step.isLast, stepCount < Self.stepsPerRound {
                step = try await archive.stepAwakening(of: image, terms)
                stepCount += 1
            }
        }
        return stepCount
    }

    /// The terms for symbols that arrive now.
    private var terms: ResendTerms {
        ResendTerms(
            oldest: now().advanced(seconds: -windowSeconds),
            due: now().advanced(seconds: debounceSeconds), includesSystem: resendsForSystem)
    }

    public func run() async throws {
        var isAnnounced = false
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            var isBusy = false
            do {
                if !isAnnounced { try await announceStoredSymbols() }
                isAnnounced = true
                let stepCount = try await stepAwakenings()
                isBusy = try await enqueueDue() > 0 || stepCount > 0
            } catch { logger.error("\(error)") }
            await pause(isBusy ? Self.roundDelay : Self.idleDelay)
        }
    }

    /// Appends the next due diagnostics to the journal.
    func enqueueDue() async throws(JournalError) -> Int {
        let backlog = Int(clamping: try await journal.workerBacklog().count)
        let entries = try await archive.enqueueDue(
            count: max(Self.fullBacklog - backlog, Self.leastCount), now: now())
        if !entries.isEmpty { newEntries.signal() }
        return entries.count
    }

    private func pause(_ duration: Duration) async {
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
    }
}

public import CallStacks
public import Logging
public import ServiceLifecycle

/// Sends diagnostics again when their symbols arrive, and at last those that were held for them.
///
/// Which diagnostics wait is kept in the archive, so it survives a restart. They come back through
/// the journal, a few at a time: however many wake up at once, new arrivals keep their share of the
/// worker.
public struct LateSymbols: Service {
    private let archive: any DiagnosticArchive
    private let journal: any Journal
    private let arrivals: Wakeup
    private let woken = Wakeup()
    private let windowSeconds: Int64
    private let logger: Logger
    private let now: @Sendable () -> UnixTime

    /// How many come back in one round while the worker is busy with new arrivals, and how many
    /// while it is not.
    private static let busyCount = 8
    private static let idleCount = 128
    /// A backlog of more entries than this means that the worker is busy.
    private static let busyBacklog = 64
    private static let roundDelay = Duration.milliseconds(200)
    private static let idleDelay = Duration.seconds(1)

    /// - Parameter windowSeconds: How long after its arrival a diagnostic is sent again.
    public init(
        archive: any DiagnosticArchive, journal: any Journal, arrivals: Wakeup,
        windowSeconds: Int64, logger: Logger, now: @escaping @Sendable () -> UnixTime
    ) {
        self.archive = archive
        self.journal = journal
        self.arrivals = arrivals
        self.windowSeconds = windowSeconds
        self.logger = logger
        self.now = now
    }

    /// Notes that symbols of images have arrived.
    ///
    /// - Returns: How many diagnostics are sent again.
    public func symbolsArrived(of images: [ImageID]) async throws(JournalError) -> Int {
        let oldest = now().advanced(seconds: -windowSeconds)
        var count = 0
        for image in images { count += try await archive.wake(waitingFor: image, since: oldest) }
        if count > 0 { woken.signal() }
        return count
    }

    public func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            var tookUp = 0
            do throws(JournalError) {
                tookUp = try await takeUp()
            } catch { logger.error("\(error)") }
            await pause(isBusy: tookUp > 0)
        }
    }

    /// Puts the next of them into the journal.
    func takeUp() async throws(JournalError) -> Int {
        let isBusy = try await journal.backlog().count > Self.busyBacklog
        let entries = try await archive.takeUp(
            count: isBusy ? Self.busyCount : Self.idleCount, now: now())
        if !entries.isEmpty { arrivals.signal() }
        return entries.count
    }

    private func pause(isBusy: Bool) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if isBusy {
                    try? await Task.sleep(for: Self.roundDelay)
                } else {
                    await woken.wait(atMost: Self.idleDelay)
                }
            }
            group.addTask { try? await gracefulShutdown() }
            await group.next()
            group.cancelAll()
        }
    }
}

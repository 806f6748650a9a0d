import CallStacks
import Logging
public import ServiceLifecycle
public import SymbolIntake
import Synchronization
import TaskCoordination

/// Sends diagnostics again when their symbols arrive. Held ones are sent at the end of their hold
/// at the latest.
///
/// The archive stores which diagnostics wait, so a restart loses none. They are processed through
/// the journal, a few at a time, so that new entries keep their share of the worker however many
/// diagnostics are due at once.
public struct LateSymbols: Service {
    private let archive: any DiagnosticArchive
    private let journal: any Journal
    private let catalogue: any Catalogue
    private let newEntries: Wakeup
    /// The latest symbol arrivals, for the worker.
    let arrivals = SymbolArrivalLog()
    private let comparison = Comparison()
    private let windowSeconds: Int64
    private let resendsForSystem: Bool
    private let debounceSeconds: Int64
    private let logger: Logger
    private let now: @Sendable () -> UnixTime

    /// The number of diagnostics that each round enqueues, even while the worker is busy with new
    /// entries.
    static let leastCount = 16
    /// The backlog of the worker, in entries, to which each round fills the journal.
    static let fullBacklog = 256
    private static let roundDelay = Duration.milliseconds(50)
    private static let idleDelay = Duration.seconds(1)
    /// The number of images compared with the catalogue in one step.
    private static let comparedCount = 500

    /// - Parameters:
    ///   - newEntries: Wakes the worker.
    ///   - windowSeconds: The maximum age of a diagnostic that is sent again.
    ///   - resendsForSystem: Whether symbols of Apple's system images cause re-sends. Every
    ///     diagnostic may wait for the same image.
    ///   - debounceSeconds: The time without further symbols before a diagnostic is sent again.
    init(
        archive: any DiagnosticArchive, journal: any Journal, catalogue: any Catalogue,
        newEntries: Wakeup, windowSeconds: Int64, resendsForSystem: Bool = false,
        debounceSeconds: Int64,
        logger: Logger,
        now: @escaping @Sendable () -> UnixTime
    ) {
        self.archive = archive
        self.journal = journal
        self.catalogue = catalogue
        self.newEntries = newEntries
        self.windowSeconds = windowSeconds
        self.resendsForSystem = resendsForSystem
        self.debounceSeconds = debounceSeconds
        self.logger = logger
        self.now = now
    }

    /// Wakes the diagnostics that wait for images whose symbols have arrived. If that cannot be
    /// stored, as on a full disk, the catalogue is compared again later.
    ///
    /// - Returns: The number of diagnostics that will be sent again.
    public func symbolsArrived(of images: [UpdatedImage]) async throws(JournalError) -> Int {
        arrivals.note(images)
        return try await wake(images)
    }

    /// Wakes diagnostics of a worker's run for images whose symbols arrived during the run.
    func wakeAgain(_ wanted: [WantedImage], since end: Int) async {
        do throws(JournalError) {
            _ = try await wake(Array(arrivals.arrived(of: wanted, since: end)))
        } catch { logger.error("\(error)") }
    }

    private func wake(_ images: [UpdatedImage]) async throws(JournalError) -> Int {
        let oldest = now().advanced(seconds: -windowSeconds)
        let due = now().advanced(seconds: debounceSeconds)
        var count = 0
        do throws(JournalError) {
            for image in images {
                if image.isOfSystem, !resendsForSystem {
                    // Without a revision, nothing would make them wait for a better file again.
                    if image.isSufficient { try await archive.suspendWaits(for: image) }
                } else {
                    count += try await archive.wake(waitingFor: image, since: oldest, due: due)
                }
            }
        } catch {
            comparison.isNeeded = true
            throw error
        }
        return count
    }

    public func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            var enqueuedCount = 0
            do {
                try await compareIfNeeded()
                enqueuedCount = try await enqueueDue()
            } catch { logger.error("\(error)") }
            await pause(enqueuedCount > 0 ? Self.roundDelay : Self.idleDelay)
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
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(for: duration) }
            group.addTask { try? await gracefulShutdown() }
            await group.next()
            group.cancelAll()
        }
    }
}

extension LateSymbols {
    /// Whether symbol arrivals may have been missed. This is assumed at every start, because the
    /// process may have been killed after it stored a debug file and before it woke diagnostics.
    private final class Comparison: Sendable {
        private let state = Mutex(true)

        var isNeeded: Bool {
            get { state.withLock(\.self) }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// Wakes diagnostics that wait for images with a debug file in the catalogue.
    func compareIfNeeded() async throws {
        guard comparison.isNeeded else { return }
        comparison.isNeeded = false
        do {
            var last: AwaitedImage?
            repeat {
                last = try await compare(after: last)
            } while last != nil && !Task.isShuttingDownGracefully && !Task.isCancelled
        } catch {
            comparison.isNeeded = true
            throw error
        }
    }

    /// - Returns: The image to continue after, or `nil` at the end.
    private func compare(after last: AwaitedImage?) async throws -> AwaitedImage? {
        let awaited = try await archive.awaitedImages(after: last, count: Self.comparedCount)
        var stored: [UpdatedImage] = []
        for image in awaited {
            let access = image.app.map(DebugFileAccess.only) ?? .everything
            let files = try await catalogue.debugFiles(of: image.image).filter {
                access.includes($0.owner)
            }
            // Diagnostics that arrived after an insufficient file were symbolicated with it, and
            // wait for a better one.
            let file =
                files.first(where: \.isSufficient)
                ?? files.first { $0.upload >= image.firstSeen }
            if let file { stored.append(UpdatedImage(file)) }
        }
        _ = try await wake(stored)
        return awaited.count < Self.comparedCount ? nil : awaited.last
    }
}

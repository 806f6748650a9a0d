public import CallStacks
public import Logging
public import ServiceLifecycle
public import SymbolIntake
import Synchronization

/// Sends diagnostics again when their symbols arrive, and at last those that were held for them.
///
/// Which diagnostics wait is kept in the archive, so it survives a restart. They come back through
/// the journal, a few at a time: however many wake up at once, new arrivals keep their share of the
/// worker.
public struct LateSymbols: Service {
    private let archive: any DiagnosticArchive
    private let journal: any Journal
    private let catalogue: any Catalogue
    private let arrivals: Wakeup
    /// What arrived lately, for the worker.
    let log = ArrivalLog()
    private let comparison = Comparison()
    private let windowSeconds: Int64
    private let restSeconds: Int64
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
    /// How many images are compared with the catalogue in one step.
    private static let comparedCount = 500

    /// - Parameters:
    ///   - windowSeconds: How long after its arrival a diagnostic is sent again.
    ///   - restSeconds: How long it rests after symbols for it arrived, because more may follow.
    public init(
        archive: any DiagnosticArchive, journal: any Journal, catalogue: any Catalogue,
        arrivals: Wakeup, windowSeconds: Int64, restSeconds: Int64, logger: Logger,
        now: @escaping @Sendable () -> UnixTime
    ) {
        self.archive = archive
        self.journal = journal
        self.catalogue = catalogue
        self.arrivals = arrivals
        self.windowSeconds = windowSeconds
        self.restSeconds = restSeconds
        self.logger = logger
        self.now = now
    }

    /// Notes that symbols of images have arrived. What cannot be written down now, as on a full disk,
    /// is made up for later.
    ///
    /// - Returns: How many diagnostics are sent again.
    public func symbolsArrived(of images: [ArrivedImage]) async throws(JournalError) -> Int {
        log.note(images)
        return try await wake(images)
    }

    /// Wakes diagnostics of a run of the worker for the images that arrived while it ran.
    func wakeAgain(_ wanted: [WantedImage], since end: Int) async {
        do throws(JournalError) {
            _ = try await wake(Array(log.arrived(of: wanted, since: end)))
        } catch { logger.error("\(error)") }
    }

    private func wake(_ images: [ArrivedImage]) async throws(JournalError) -> Int {
        let oldest = now().advanced(seconds: -windowSeconds)
        let due = now().advanced(seconds: restSeconds)
        var count = 0
        do throws(JournalError) {
            for image in images {
                count += try await archive.wake(waitingFor: image, since: oldest, due: due)
            }
        } catch {
            comparison.isNeeded = true
            throw error
        }
        return count
    }

    public func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            var tookUp = 0
            do {
                try await compareIfNeeded()
                tookUp = try await takeUp()
            } catch { logger.error("\(error)") }
            await pause(tookUp > 0 ? Self.roundDelay : Self.idleDelay)
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
    /// Whether arrivals may have been missed: always at the start, because the process may have been
    /// killed between the moment that a debug file was kept and the one that its arrival was told.
    private final class Comparison: Sendable {
        private let state = Mutex(true)

        var isNeeded: Bool {
            get { state.withLock(\.self) }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// Wakes diagnostics that wait for images whose debug files are there.
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

    /// - Returns: The image to go on after; `nil` at the end.
    private func compare(after last: AwaitedImage?) async throws -> AwaitedImage? {
        let awaited = try await archive.awaitedImages(after: last, count: Self.comparedCount)
        var stored: [ArrivedImage] = []
        for image in awaited {
            let access = image.app.map(SymbolAccess.only) ?? .everything
            let files = try await catalogue.debugFiles(of: image.image).filter {
                access.includes($0.owner)
            }
            // A diagnostic that came after a poor file was made with it, and waits for a better one.
            let file = files.first { $0.isSufficient || $0.upload >= image.firstSeen }
            if let file { stored.append(ArrivedImage(image.image, of: file.owner)) }
        }
        _ = try await wake(stored)
        return awaited.count < Self.comparedCount ? nil : awaited.last
    }
}

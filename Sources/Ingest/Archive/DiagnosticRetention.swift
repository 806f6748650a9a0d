public import CallStacks
public import Logging
public import ServiceLifecycle
import SymbolIntake

/// Removes expired diagnostics and dead letters, entries that are no longer needed, and without an
/// exporter also entries that are expired or exceed the limit. It removes a few at a time, so that
/// other writes do not wait.
public struct DiagnosticRetention: Service {
    public struct Settings: Sendable {
        /// The retention of diagnostics after their arrival, and of dead letters after their
        /// refusal, in seconds.
        public var ageSeconds: Int64
        /// The size limit of the entries of diagnostics, in stored bytes.
        public var bytes: Int64
        /// The size limit of dead letters, in bytes before compression.
        public var deadLetterBytes: Int64
        /// The size limit of the entries that are kept without an exporter, in stored bytes.
        public var unsentBytes: Int64

        public init(ageSeconds: Int64, bytes: Int64, deadLetterBytes: Int64, unsentBytes: Int64) {
            self.ageSeconds = ageSeconds
            self.bytes = bytes
            self.deadLetterBytes = deadLetterBytes
            self.unsentBytes = unsentBytes
        }
    }

    private let journal: any Journal
    private let archive: any DiagnosticArchive
    private let deadLetters: any DeadLetterArchive
    private let settings: Settings
    private let logger: Logger
    private let now: @Sendable () -> UnixTime

    private static let pause = Duration.seconds(5)
    /// The maximum number of removals in one write.
    private static let count = 500

    public init(
        journal: any Journal, archive: any DiagnosticArchive, deadLetters: any DeadLetterArchive,
        settings: Settings, logger: Logger, now: @escaping @Sendable () -> UnixTime
    ) {
        self.journal = journal
        self.archive = archive
        self.deadLetters = deadLetters
        self.settings = settings
        self.logger = logger
        self.now = now
    }

    public func run() async {
        await cancelWhenGracefulShutdown {
            var clock = RetentionClock(now(), steady: .now)
            var isAhead = false
            while !Task.isCancelled {
                let wall = now()
                let time = clock.time(wall: wall, steady: .now)
                if time != wall, !isAhead { warn(wall, time) }
                isAhead = time != wall
                do throws(JournalError) {
                    // After a full round, there may be more to remove.
                    if try await removeSome(at: time) { continue }
                } catch { logger.warning("retention: \(error)") }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    private func warn(_ wall: UnixTime, _ time: UnixTime) {
        let seconds = (wall.rawValue - time.rawValue) / 1_000
        logger.warning(
            """
            retention: the clock was set \(seconds) s ahead: ages are counted without them: correct \
            the clock, or restart the service if it is right now
            """)
    }

    /// - Returns: Whether there may be more to remove.
    private func removeSome(at time: UnixTime) async throws(JournalError) -> Bool {
        let oldest = time.advanced(seconds: -settings.ageSeconds)
        // Diagnostics are removed once every reader has passed their entries.
        let expired = try await journal.dropUnsent(before: oldest, count: Self.count)
        let diagnostics = try await archive.removeDiagnostics(
            before: oldest, keeping: settings.bytes, count: Self.count)
        let letters = try await deadLetters.removeDeadLetters(
            before: oldest, keeping: settings.deadLetterBytes, count: Self.count)
        let unsent = try await journal.trimUnsent(keeping: settings.unsentBytes)
        let entries = try await journal.removePassed(count: Self.count)
        if letters > 0 {
            logger.warning("retention: \(letters) dead letters removed: too old, or too many bytes")
        }
        if unsent.count > 0 {
            logger.warning(
                """
                export: none is set, and more than \(settings.unsentBytes) bytes wait: the oldest \
                \(unsent.count) requests with \(unsent.bytes) bytes removed
                """)
        }
        if expired.count > 0 {
            logger.warning(
                """
                export: \(expired.count) requests waited for a first exporter longer than \
                retention.diagnostics_age: removed
                """)
        }
        return [diagnostics, letters, entries, Int(expired.count)].contains(Self.count)
    }
}

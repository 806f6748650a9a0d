import CallStacks
import Ingest
import Logging
import ServiceLifecycle
import SharedDatabase
import SharedStorage
import SymbolIntake
import Synchronization

/// Renews the leases of the node's lanes until the service stops.
///
/// Ends with ``LostLane`` if another node has claimed the lane that this node appends to.
final class LaneKeeper: Service {
    private struct State {
        /// The continuations of the streams that ``LaneKeeper/waitForLoss()`` reads.
        var observers: [AsyncStream<Void>.Continuation] = []
        var adopted: Set<LaneClaim> = []
        /// Whether a lane without an owner has entries for this node's readers.
        var isAdoptionPossible = false
        /// The start of the last successful renewal.
        var lastRenewal = ContinuousClock.now
        /// The number of failures since the last successful renewal.
        var failureCount = 0
        var hasLoggedSilence = false
    }

    private let state = Mutex(State())
    private let cluster: Cluster
    private let journal: LaneJournal
    private let readers: [String]
    private let pause: Duration
    /// The pause after the first failed renewal.
    private static let retryDelay = Duration.seconds(1)
    private static let silenceInterval = Duration.milliseconds(100)
    private let warnings: RenewalWarnings
    private let logger: Logger

    /// - Parameters:
    ///   - journal: The lane that this node appends to.
    ///   - readers: The readers of its lanes.
    init(_ cluster: Cluster, journal: LaneJournal, readers: [String], logger: Logger) {
        self.cluster = cluster
        self.journal = journal
        self.readers = readers
        pause = cluster.lease / 3
        warnings = RenewalWarnings(logger: logger)
        self.logger = logger
    }

    private var lanes: Lanes { cluster.lanes }
    private var own: LaneClaim { journal.claim }
    private var unreadable: UnreadableLanes { cluster.unreadableLanes }

    /// The lanes of the node.
    var claims: [LaneClaim] { [own] + state.withLock(\.adopted) }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                var next = ContinuousClock.now + self.pause
                do { try await self.renew() } catch let error as JournalError {
                    self.logger.error("cluster: lease not renewed: \(error)")
                    // The next attempt may reach another server before the lease expires.
                    if self.recordFailure() == 1 { next = min(next, .now + Self.retryDelay) }
                }
                try? await Task.sleep(until: next, clock: .continuous)
            }
        }
    }

    /// Returns the number of failures since the last success.
    private func recordFailure() -> Int {
        state.withLock { state in
            state.failureCount += 1
            return state.failureCount
        }
    }

    /// Renews the leases of all lanes of the node.
    ///
    /// - Throws: `JournalError`, or ``LostLane``.
    func renew() async throws {
        let start = UnixTime.now()
        let instant = ContinuousClock.now
        let renewal = try await lanes.renew(
            claims, finishing: readers, isArchiving: cluster.entries.isWritable)
        warnings.record(renewal, between: start, and: UnixTime.now())
        cluster.queueLimit.record(renewal, readers: readers)
        state.withLock { state in
            state.isAdoptionPossible = !unreadable.all.isSuperset(of: renewal.adoptable)
            state.adopted.subtract(renewal.lost)
            state.lastRenewal = instant
            state.failureCount = 0
        }
        guard renewal.lost.contains(own) else { return }
        let loss = LostLane(lane: own.lane)
        logger.error("cluster: \(loss)")
        announceLoss()
        throw loss
    }

    private func announceLoss() {
        journal.recordLoss()
        let observers = state.withLock { state in
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers { observer.finish() }
    }

    /// Waits until the node has lost its own lane, or until the task is cancelled.
    func waitForLoss() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { state in
            if journal.isLost {
                continuation.finish()
            } else {
                state.observers.append(continuation)
            }
        }
        for await _ in stream {}
    }

    /// Waits until the database is silent, so that nothing can be stored and the lane is left to
    /// other nodes, or until the task is cancelled.
    func waitForSilence() async {
        while !Task.isCancelled {
            if isSilent { return logSilence() }
            try? await Task.sleep(for: Self.silenceInterval)
        }
    }

    /// Whether the database has not responded for two renewal intervals and to two renewals.
    var isSilent: Bool {
        let (last, failures) = state.withLock { ($0.lastRenewal, $0.failureCount) }
        return failures >= 2 && last.duration(to: .now) >= pause * 2
    }

    private func logSilence() {
        let isFirst = state.withLock { state in
            defer { state.hasLoggedSilence = true }
            return !state.hasLoggedSilence
        }
        guard isFirst else { return }
        logger.warning(
            """
            cluster: the database does not respond: stopping without finishing lane \
            \(own.lane.rawValue): another node or the next start continues it
            """)
    }

    /// Adopts a lane that has no node, or returns `nil` if none has entries for this node's
    /// readers.
    func adopt() async throws(JournalError) -> LaneClaim? {
        guard state.withLock(\.isAdoptionPossible) else { return nil }
        let claim = try await lanes.adopt(
            finishing: readers, except: unreadable.all, isArchiving: cluster.entries.isWritable)
        if let claim { _ = state.withLock { $0.adopted.insert(claim) } }
        return claim
    }

    /// Releases an adopted lane.
    func release(_ claim: LaneClaim) async throws(JournalError) {
        _ = state.withLock { $0.adopted.remove(claim) }
        try await lanes.release(claim)
    }

    /// Leaves an adopted lane to nodes of a later version, once it is released.
    func leave(_ claim: LaneClaim) { unreadable.insert(claim.lane) }

    /// Whether a lane is left to nodes of a later version.
    func hasLeft(_ claim: LaneClaim) -> Bool { unreadable.all.contains(claim.lane) }

    /// Whether the node still has an adopted lane.
    func has(_ claim: LaneClaim) -> Bool { state.withLock { $0.adopted.contains(claim) } }
}

/// The lane of this node, which another one has claimed.
struct LostLane: Error, CustomStringConvertible {
    let lane: LaneNumber

    var description: String {
        """
        lane \(lane.rawValue) was claimed by another node, because this one was paused or could not \
        reach the database: continues with another lane
        """
    }
}

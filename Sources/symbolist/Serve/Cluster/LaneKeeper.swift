import Ingest
import Logging
import ServiceLifecycle
import SharedDatabase
import Synchronization

/// Renews the leases of the node's lanes until the service stops.
///
/// Ends with ``LostLane`` if another node has claimed the lane that this node appends to.
final class LaneKeeper: Service {
    private struct State {
        var adopted: LaneClaim?
        /// Whether a lane without an owner has entries for this node's readers.
        var isAdoptionPossible = false
    }

    private let state = Mutex(State())
    private let lanes: Lanes
    private let own: LaneClaim
    private let readers: [String]
    private let pause: Duration
    private let logger: Logger

    /// - Parameters:
    ///   - own: The claim of the lane that this node appends to.
    ///   - exporters: The names of the node's exporters.
    init(
        _ lanes: Lanes, own: LaneClaim, exporters: [String], lease: Duration, logger: Logger
    ) {
        self.lanes = lanes
        self.own = own
        readers = [JournalReaders.worker] + exporters
        pause = lease / 3
        self.logger = logger
    }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await self.renew() } catch let error as JournalError {
                    self.logger.error("cluster: lease not renewed: \(error)")
                }
                try? await Task.sleep(for: self.pause)
            }
        }
    }

    /// Renews the leases of all lanes of the node.
    ///
    /// - Throws: `JournalError`, or ``LostLane``.
    func renew() async throws {
        let claims = [own] + [adopted].compactMap(\.self)
        let renewal = try await lanes.renew(claims, finishing: readers)
        if renewal.lost.contains(own) { throw LostLane(lane: own.lane) }
        state.withLock { state in
            state.isAdoptionPossible = !renewal.adoptable.isEmpty
            if let adopted = state.adopted, renewal.lost.contains(adopted) { state.adopted = nil }
        }
    }

    /// Adopts a lane whose node has left it, or returns `nil` if there is none with entries for this
    /// node's readers.
    func adopt() async throws(JournalError) -> LaneClaim? {
        guard state.withLock(\.isAdoptionPossible) else { return nil }
        let claim = try await lanes.adopt(finishing: readers)
        state.withLock { $0.adopted = claim }
        return claim
    }

    /// Gives an adopted lane up.
    func release(_ claim: LaneClaim) async throws(JournalError) {
        state.withLock { $0.adopted = nil }
        try await lanes.release(claim)
    }

    /// Whether the node still has an adopted lane.
    func has(_ claim: LaneClaim) -> Bool { adopted == claim }

    private var adopted: LaneClaim? { state.withLock(\.adopted) }
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

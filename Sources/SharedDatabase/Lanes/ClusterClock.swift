public import CallStacks
import Synchronization

/// The database's time, which all nodes share.
///
/// Between two renewals of the leases it advances with the monotonic clock. The wall clocks of the
/// nodes are not used.
public final class ClusterClock: Sendable {
    private struct State {
        /// The database's time at the last renewal, and the local time before the request.
        var renewal: (time: UnixTime, moment: Duration)?
        /// Time does not run backwards, even if the database's does.
        var latest = UnixTime(rawValue: 0)
    }

    private let state = Mutex(State())
    private let lease: Duration
    private let monotonic: @Sendable () -> Duration

    /// - Parameters:
    ///   - lease: The time after which a node that does not renew its lease loses its lane.
    ///   - monotonic: The time since a fixed moment, including the time for which the machine
    ///     sleeps.
    public init(
        lease: Duration, monotonic: @escaping @Sendable () -> Duration = ClusterClock.sinceStart()
    ) {
        self.lease = lease
        self.monotonic = monotonic
    }

    public static func sinceStart() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }

    /// The database's time, or `nil` before the first renewal.
    public var now: UnixTime? {
        let moment = monotonic()
        return state.withLock { state in
            guard let renewal = state.renewal else { return nil }
            let passed = Int64((moment - renewal.moment) / .milliseconds(1))
            let time = UnixTime(rawValue: renewal.time.rawValue + max(passed, 0))
            if time.rawValue > state.latest.rawValue { state.latest = time }
            return state.latest
        }
    }

    /// Whether the node's leases last for at least another third of their duration.
    ///
    /// If not, the node stops sending, because another node may soon send the same records.
    public var permitsSending: Bool {
        let moment = monotonic()
        return state.withLock { state in
            guard let renewal = state.renewal else { return false }
            return moment - renewal.moment < lease * 2 / 3
        }
    }

    /// The time since the last renewal, or `nil` before the first one.
    public var timeSinceRenewal: Duration? {
        let moment = monotonic()
        return state.withLock { state in state.renewal.map { moment - $0.moment } }
    }

    /// The moment of a renewal that is about to be sent.
    func moment() -> Duration { monotonic() }

    /// Records a renewal.
    ///
    /// - Parameter moment: The local time before the request was sent.
    func renewed(at time: UnixTime, moment: Duration) {
        state.withLock { $0.renewal = (time, moment) }
    }
}

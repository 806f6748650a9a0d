import CallStacks
import Logging
import Metrics
import SharedDatabase
import Synchronization

/// Warns about clocks and settings that differ between nodes, once for each change.
final class RenewalWarnings: Sendable {
    private struct State {
        var isClockWrong = false
        var differingNodes: [String] = []
    }

    private let state = Mutex(State())
    private let difference = Gauge(label: "symbolist_clock_difference_seconds")
    private let logger: Logger

    /// The tolerated difference between clocks, in milliseconds.
    static let tolerance: Int64 = 1_000

    init(logger: Logger) { self.logger = logger }

    /// - Parameters:
    ///   - start: The machine's time before the renewal.
    ///   - end: The machine's time after it.
    func record(_ renewal: LaneRenewal, between start: UnixTime, and end: UnixTime) {
        recordClock(Self.difference(of: renewal.time, from: start, and: end))
        let isNew = state.withLock { state in
            let isNew = state.differingNodes != renewal.differingNodes
            state.differingNodes = renewal.differingNodes
            return isNew
        }
        guard isNew, !renewal.differingNodes.isEmpty else { return }
        let names = renewal.differingNodes.map { "'\($0)'" }.joined(separator: ", ")
        logger.warning(
            "cluster: settings differ from those of \(names): use the same configuration on all nodes"
        )
    }

    /// Returns the time by which the machine's clock lags behind the database's, in milliseconds,
    /// or 0 if both may be equal.
    static func difference(
        of time: UnixTime, from start: UnixTime, and end: UnixTime
    ) -> Int64 {
        if time.rawValue < start.rawValue { return time.rawValue - start.rawValue }
        return max(time.rawValue - end.rawValue, 0)
    }

    private func recordClock(_ milliseconds: Int64) {
        difference.record(Double(milliseconds) / 1_000)
        let isWrong = abs(milliseconds) > Self.tolerance
        let isNew = state.withLock { state in
            defer { state.isClockWrong = isWrong }
            return isWrong && !state.isClockWrong
        }
        guard isNew else { return }
        logger.warning(
            """
            cluster: the clock of this machine is \(abs(milliseconds)) ms \
            \(milliseconds > 0 ? "behind" : "ahead of") that of the database, which decides: \
            synchronize both
            """)
    }
}

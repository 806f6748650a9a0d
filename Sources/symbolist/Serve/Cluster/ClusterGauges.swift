import Ingest
import Metrics
import ServiceLifecycle
import SharedDatabase
import TaskCoordination

/// Gauges of the node's leases and lanes.
struct ClusterGauges: Service {
    private let cluster: Cluster
    private let keeper: LaneKeeper
    private let leaseAge = Gauge(label: "symbolist_lease_age_seconds")
    private let lanes = Gauge(label: "symbolist_lanes")

    private static let interval = Duration.seconds(5)

    init(_ cluster: Cluster, keeper: LaneKeeper) {
        self.cluster = cluster
        self.keeper = keeper
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            var gauges: [LaneNumber: LaneGauges] = [:]
            await repeatUntilCancelled(pausing: Self.interval) {
                if let age = cluster.lanes.clock.timeSinceRenewal {
                    leaseAge.record(age / .seconds(1))
                }
                await record(&gauges)
            }
            for lane in gauges.values { lane.remove() }
        }
    }

    private func record(_ gauges: inout [LaneNumber: LaneGauges]) async {
        let own = Set(keeper.claims.map(\.lane))
        lanes.record(own.count)
        for lane in gauges.keys where !own.contains(lane) {
            gauges.removeValue(forKey: lane)?.remove()
        }
        // After a failure, retrying at the next interval is soon enough.
        guard let waiting = try? await cluster.database.waitingBytes(),
            let lags = try? await cluster.database.archiveLag()
        else { return }
        for lane in own {
            let known = gauges[lane] ?? LaneGauges(of: lane)
            gauges[lane] = known
            known.bytes.record(waiting[lane] ?? 0)
            known.archiveLag.record(lags[lane] ?? 0)
        }
    }
}

/// The gauges of one lane.
private struct LaneGauges {
    let bytes: Gauge
    let archiveLag: Gauge

    init(of lane: LaneNumber) {
        let dimensions = [("lane", "\(lane.rawValue)")]
        bytes = Gauge(label: "symbolist_lane_bytes", dimensions: dimensions)
        archiveLag = Gauge(label: "symbolist_archive_lag_bytes", dimensions: dimensions)
    }

    /// Removes the gauges, because the node no longer has the lane.
    func remove() {
        bytes.destroy()
        archiveLag.destroy()
    }
}

public import CallStacks
import Metrics
public import ServiceLifecycle
import TaskCoordination

/// Records the age of each exporter's backlog, and the number of diagnostics that wait for symbols.
public struct DeliveryGauges: Service {
    private let source: any DeliveryStatusSource
    private let exporters: [(name: String, age: Gauge)]
    private let now: @Sendable () -> UnixTime
    private let held = Gauge(label: "symbolist_diagnostics_held")
    private let waitingForApp = Gauge(
        label: "symbolist_diagnostics_waiting", dimensions: [("scope", "app")])
    private let waitingForSystem = Gauge(
        label: "symbolist_diagnostics_waiting", dimensions: [("scope", "system")])

    private static let interval = Duration.seconds(5)

    /// - Parameter exporters: The names of all exporters.
    public init(
        source: any DeliveryStatusSource, exporters: [String],
        now: @escaping @Sendable () -> UnixTime
    ) {
        self.source = source
        self.exporters = exporters.map { name in
            let dimensions = [("exporter", name)]
            return (name, Gauge(label: "symbolist_export_oldest_seconds", dimensions: dimensions))
        }
        self.now = now
    }

    public func run() async {
        await cancelWhenGracefulShutdown {
            await repeatUntilCancelled(pausing: Self.interval) {
                // After a failure, retrying at the next interval is soon enough.
                if let status = try? await source.deliveryStatus() { record(status) }
            }
        }
    }

    private func record(_ status: DeliveryStatus) {
        for (name, gauge) in exporters {
            let age = status.oldestArrivals[name].map { now().rawValue - $0.rawValue } ?? 0
            gauge.record(Double(max(age, 0)) / 1_000)
        }
        held.record(status.heldCount)
        waitingForApp.record(status.waitingForAppCount)
        waitingForSystem.record(status.waitingForSystemCount)
    }
}

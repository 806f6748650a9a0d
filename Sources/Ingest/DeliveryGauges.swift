public import CallStacks
import Metrics
public import ServiceLifecycle

/// Shows how far each exporter is behind, and how many diagnostics wait for symbols.
public struct DeliveryGauges: Service {
    private let figures: any DeliveryFigures
    private let exporters: [(name: String, age: Gauge)]
    private let now: @Sendable () -> UnixTime
    private let held = Gauge(label: "symbolist_diagnostics_held")
    private let waitingForApp = Gauge(
        label: "symbolist_diagnostics_waiting", dimensions: [("scope", "app")])
    private let waitingForSystem = Gauge(
        label: "symbolist_diagnostics_waiting", dimensions: [("scope", "system")])

    private static let interval = Duration.seconds(5)

    /// - Parameter exporters: Their names.
    public init(
        figures: any DeliveryFigures, exporters: [String],
        now: @escaping @Sendable () -> UnixTime
    ) {
        self.figures = figures
        self.exporters = exporters.map { name in
            let dimensions = [("exporter", name)]
            return (name, Gauge(label: "symbolist_export_oldest_seconds", dimensions: dimensions))
        }
        self.now = now
    }

    public func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // The next look is soon enough where this one fails.
                if let state = try? await figures.deliveryState() { show(state) }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    private func show(_ state: DeliveryState) {
        for (name, gauge) in exporters {
            let age = state.oldestArrivals[name].map { now().rawValue - $0.rawValue } ?? 0
            gauge.record(Double(max(age, 0)) / 1_000)
        }
        held.record(state.heldCount)
        waitingForApp.record(state.waitingForAppCount)
        waitingForSystem.record(state.waitingForSystemCount)
    }
}

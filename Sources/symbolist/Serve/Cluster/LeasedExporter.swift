import Ingest
import SharedDatabase
import TaskCoordination

/// An exporter that sends only while the leases of the node's lanes are guaranteed to be valid.
///
/// Otherwise another node may already be sending the same records. The limit of batches in flight
/// applies to all lanes of the node together.
struct LeasedExporter: Exporter {
    let exporter: any Exporter
    let clock: ClusterClock
    private let slots: WeightedSemaphore

    /// - Parameter slotCount: The maximum number of batches in flight.
    init(exporter: any Exporter, clock: ClusterClock, slotCount: Int) {
        self.exporter = exporter
        self.clock = clock
        slots = WeightedSemaphore(weightLimit: .max, countLimit: slotCount)
    }

    var name: String { exporter.name }
    var batchBytesLimit: Int { exporter.batchBytesLimit }

    func send(_ batch: ExportBatch) async -> ExportOutcome {
        await slots.acquire(weight: 0)
        defer { slots.release(weight: 0) }
        guard clock.permitsSending else {
            return .retry(
                reason: "the database does not respond: another node may have the lane", after: nil)
        }
        return await exporter.send(batch)
    }

    func run() async { await exporter.run() }
}

/// An exporter whose connections are kept open elsewhere, because several lanes share them.
struct KeptOpenExporter: Exporter {
    let exporter: any Exporter

    var name: String { exporter.name }
    var batchBytesLimit: Int { exporter.batchBytesLimit }

    func send(_ batch: ExportBatch) async -> ExportOutcome { await exporter.send(batch) }

    func run() async {
        // Ends when the task is cancelled.
        while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
    }
}

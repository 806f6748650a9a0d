import Ingest
import SharedDatabase

/// An exporter that sends only while the leases of the node's lanes are certain to be valid.
///
/// Otherwise another node may already send the same records.
struct LeasedExporter: Exporter {
    let exporter: any Exporter
    let clock: ClusterClock

    var name: String { exporter.name }
    var batchBytesLimit: Int { exporter.batchBytesLimit }

    func send(_ batch: ExportBatch) async -> ExportOutcome {
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

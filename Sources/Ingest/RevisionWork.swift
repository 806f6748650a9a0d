import CallStacks
import MetricKitSignals
import OTLP
import StackRendering

/// Makes the record of one diagnostic once more, from the entry that it came with.
struct RevisionWork: Sendable {
    let records: RecordWork
    let payloads: PayloadWork

    struct Revised {
        var row: DiagnosticRow
        /// The record alone, with its resource and scope.
        var request: ExportLogsServiceRequest
    }

    /// `nil` where the entry holds no such diagnostic.
    func work(on known: DiagnosticRow, from source: JournalEntry) async -> Revised? {
        switch source.draft.signal {
        case .logs: await record(known, from: source)
        case .metricKit: await payload(known, from: source)
        case .traces, .metrics, .revision: nil
        }
    }

    private func record(_ known: DiagnosticRow, from source: JournalEntry) async -> Revised? {
        guard
            var request = try? ExportLogsServiceRequest(
                decoding: source.draft.body, as: .protobuf)
        else { return nil }
        var work = RequestWork(
            entry: source, records: records, onlyPosition: known.place.position)
        await work.run(on: &request)
        guard let row = work.rows.first else { return nil }
        request.keepRecords { $0 == known.place.position }
        return Revised(row: row, request: request)
    }

    private func payload(_ known: DiagnosticRow, from source: JournalEntry) async -> Revised? {
        let work = await payloads.work(on: source)
        guard let row = work.rows.first(where: { $0.place == known.place }),
            work.records.indices.contains(known.place.position)
        else { return nil }
        return Revised(
            row: row, request: PayloadSignals.logs(of: [work.records[known.place.position]]))
    }
}

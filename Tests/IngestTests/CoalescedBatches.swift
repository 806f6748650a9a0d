@testable import Ingest

/// A batch whose body names its entry, so that a test sees which entries went where.
func batch(
    _ signal: Signal = .logs, entry: Int64, byteCount: Int = 1, recordCount: Int = 1
) -> ExportBatch {
    ExportBatch(
        signal: signal, body: Array(repeating: UInt8(truncatingIfNeeded: entry), count: byteCount),
        recordCount: recordCount)
}

func entry(_ number: Int64, _ signals: Signal..., byteCount: Int = 1) -> ExportableEntry {
    ExportableEntry(
        number: number,
        batches: signals.map { batch($0, entry: number, byteCount: byteCount) })
}

/// A coalesced batch with one record for each of the entries.
func coalesced(_ entries: ClosedRange<Int64>) -> CoalescedBatch {
    var batches = CoalescedBatch(batch(entry: entries.lowerBound), entry: entries.lowerBound)
    for entry in entries.dropFirst() { batches.append(batch(entry: entry), entry: entry) }
    return batches
}

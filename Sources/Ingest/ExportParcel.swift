import CallStacks

/// Batches of several entries as one batch, with the seams kept, so that it can be taken apart
/// again when it is refused.
struct ExportParcel: Sendable {
    struct Part: Sendable {
        var entry: Int64
        /// Where it ends in ``ExportParcel/body``.
        var end: Int
        var recordCount: Int
    }

    let signal: Signal
    private(set) var body: [UInt8]
    private(set) var parts: [Part]
    private(set) var recordCount: Int
    private var arrival: UnixTime?

    init(_ batch: ExportBatch, entry: Int64) {
        signal = batch.signal
        body = batch.body
        recordCount = batch.recordCount
        arrival = batch.arrival
        parts = [Part(entry: entry, end: batch.body.count, recordCount: batch.recordCount)]
    }

    mutating func append(_ batch: ExportBatch, entry: Int64) {
        body += batch.body
        recordCount += batch.recordCount
        // Entries come in the order of their arrival.
        arrival = arrival ?? batch.arrival
        parts.append(Part(entry: entry, end: body.count, recordCount: batch.recordCount))
    }

    /// What some of the parts are as a batch.
    func batch(_ range: Range<Int>) -> ExportBatch {
        if range == parts.indices {
            return ExportBatch(
                signal: signal, body: body, recordCount: recordCount, arrival: arrival)
        }
        let start = range.lowerBound == 0 ? 0 : parts[range.lowerBound - 1].end
        return ExportBatch(
            signal: signal, body: Array(body[start..<parts[range.upperBound - 1].end]),
            recordCount: parts[range].reduce(0) { $0 + $1.recordCount }, arrival: arrival)
    }
}

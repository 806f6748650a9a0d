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

    /// Some parts of another one.
    private init(_ range: Range<Int>, of whole: ExportParcel) {
        let start = range.lowerBound == 0 ? 0 : whole.parts[range.lowerBound - 1].end
        signal = whole.signal
        body = Array(whole.body[start..<whole.parts[range.upperBound - 1].end])
        parts = whole.parts[range].map {
            Part(entry: $0.entry, end: $0.end - start, recordCount: $0.recordCount)
        }
        recordCount = parts.reduce(0) { $0 + $1.recordCount }
        arrival = whole.arrival
    }

    mutating func append(_ batch: ExportBatch, entry: Int64) {
        body += batch.body
        recordCount += batch.recordCount
        // Entries come in the order of their arrival.
        arrival = arrival ?? batch.arrival
        parts.append(Part(entry: entry, end: body.count, recordCount: batch.recordCount))
    }

    var batch: ExportBatch {
        ExportBatch(signal: signal, body: body, recordCount: recordCount, arrival: arrival)
    }

    /// Its entries in two halves, or the records of a single entry in two halves; `nil` for a single
    /// record.
    func halves() -> (ExportParcel, ExportParcel)? {
        guard parts.count == 1 else {
            let middle = parts.count / 2
            return (
                ExportParcel(0..<middle, of: self), ExportParcel(middle..<parts.count, of: self)
            )
        }
        guard let (first, second) = batch.halves() else { return nil }
        let entry = parts[0].entry
        return (ExportParcel(first, entry: entry), ExportParcel(second, entry: entry))
    }
}

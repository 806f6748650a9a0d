import CallStacks

/// The batches of several entries joined into one. Their boundaries are kept, so that the batch can
/// be divided again when it is refused.
struct CoalescedBatch: Sendable {
    /// The bytes of one entry.
    struct EntryRange: Sendable {
        var entry: Int64
        /// The end in ``CoalescedBatch/body``.
        var end: Int
        var recordCount: Int
    }

    let signal: Signal
    private(set) var body: [UInt8]
    private(set) var entryRanges: [EntryRange]
    private(set) var recordCount: Int
    private var arrival: UnixTime?

    init(_ batch: ExportBatch, entry: Int64) {
        signal = batch.signal
        body = batch.body
        recordCount = batch.recordCount
        arrival = batch.arrival
        entryRanges = [
            EntryRange(entry: entry, end: batch.body.count, recordCount: batch.recordCount)
        ]
    }

    /// Creates a batch from some entries of another one.
    private init(_ range: Range<Int>, of whole: CoalescedBatch) {
        let start = range.lowerBound == 0 ? 0 : whole.entryRanges[range.lowerBound - 1].end
        signal = whole.signal
        body = Array(whole.body[start..<whole.entryRanges[range.upperBound - 1].end])
        entryRanges = whole.entryRanges[range].map {
            EntryRange(entry: $0.entry, end: $0.end - start, recordCount: $0.recordCount)
        }
        recordCount = entryRanges.reduce(0) { $0 + $1.recordCount }
        arrival = whole.arrival
    }

    mutating func append(_ batch: ExportBatch, entry: Int64) {
        body += batch.body
        recordCount += batch.recordCount
        // Entries are appended in the order of their arrival.
        arrival = arrival ?? batch.arrival
        entryRanges.append(
            EntryRange(entry: entry, end: body.count, recordCount: batch.recordCount))
    }

    var batch: ExportBatch {
        ExportBatch(signal: signal, body: body, recordCount: recordCount, arrival: arrival)
    }

    /// Returns the entries in two halves, or the records of a single entry in two halves; `nil` for
    /// a single record.
    func halves() -> (CoalescedBatch, CoalescedBatch)? {
        guard entryRanges.count == 1 else {
            let middle = entryRanges.count / 2
            return (
                CoalescedBatch(0..<middle, of: self),
                CoalescedBatch(middle..<entryRanges.count, of: self)
            )
        }
        guard let (first, second) = batch.halves() else { return nil }
        let entry = entryRanges[0].entry
        return (CoalescedBatch(first, entry: entry), CoalescedBatch(second, entry: entry))
    }
}

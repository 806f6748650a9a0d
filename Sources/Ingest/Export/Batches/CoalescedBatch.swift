import CallStacks

/// The batches of several entries joined into one. They are kept separately, so that the batch can
/// be divided again when it is refused. Their bytes are copied only when they are sent.
struct CoalescedBatch: Sendable {
    /// The part of one entry.
    struct EntryPart: Sendable {
        var entry: Int64
        var requests: [[UInt8]]
        var byteCount: Int
        var recordCount: Int

        init(_ batch: ExportBatch, entry: Int64) {
            self.entry = entry
            requests = batch.requests
            byteCount = batch.byteCount
            recordCount = batch.recordCount
        }
    }

    let signal: Signal
    private(set) var parts: [EntryPart]
    /// The size of the joined request in bytes.
    private(set) var byteCount: Int
    private(set) var recordCount: Int
    private var arrival: UnixTime?

    init(_ batch: ExportBatch, entry: Int64) {
        self.init(batch.signal, [EntryPart(batch, entry: entry)], arrival: batch.arrival)
    }

    private init(_ signal: Signal, _ parts: [EntryPart], arrival: UnixTime?) {
        self.signal = signal
        self.parts = parts
        byteCount = parts.reduce(0) { $0 + $1.byteCount }
        recordCount = parts.reduce(0) { $0 + $1.recordCount }
        self.arrival = arrival
    }

    mutating func append(_ batch: ExportBatch, entry: Int64) {
        parts.append(EntryPart(batch, entry: entry))
        byteCount += batch.byteCount
        recordCount += batch.recordCount
        // Entries are appended in the order of their arrival.
        arrival = arrival ?? batch.arrival
    }

    var batch: ExportBatch {
        ExportBatch(
            signal: signal, requests: parts.flatMap(\.requests), recordCount: recordCount,
            arrival: arrival)
    }

    /// Returns the entries in two halves, or the records of a single entry in two halves; `nil` for
    /// a single record.
    func halves() -> (CoalescedBatch, CoalescedBatch)? {
        guard parts.count == 1 else {
            let middle = parts.count / 2
            return (
                CoalescedBatch(signal, Array(parts[..<middle]), arrival: arrival),
                CoalescedBatch(signal, Array(parts[middle...]), arrival: arrival)
            )
        }
        guard let (first, second) = batch.halves() else { return nil }
        let entry = parts[0].entry
        return (CoalescedBatch(first, entry: entry), CoalescedBatch(second, entry: entry))
    }
}

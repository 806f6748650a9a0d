/// Joins the batches of entries into larger ones. One coalesced batch is open for each signal.
struct BatchCoalescer {
    private struct Open {
        var batch: CoalescedBatch
        /// The number of the fill wait after which it is closed.
        var round: Int
    }

    private let bytesLimit: Int
    private let recordLimit: Int
    private var open: [Signal: Open] = [:]

    /// - Parameter bytesLimit: The size limit of a coalesced batch. A larger batch is sent alone.
    init(bytesLimit: Int, recordLimit: Int) {
        self.bytesLimit = bytesLimit
        self.recordLimit = recordLimit
    }

    var isEmpty: Bool { open.isEmpty }

    /// Adds a batch.
    ///
    /// - Parameter round: The number of the fill wait, if the batch starts a new coalesced batch.
    /// - Returns: The batches that are full now: at most the open one and the new one.
    mutating func add(_ batch: ExportBatch, entry: Int64, round: Int) -> [CoalescedBatch] {
        guard var current = open.removeValue(forKey: batch.signal) else {
            return start(batch, entry: entry, round: round)
        }
        guard hasCapacity(current.batch, for: batch) else {
            return [current.batch] + start(batch, entry: entry, round: round)
        }
        current.batch.append(batch, entry: entry)
        return keepOpen(current)
    }

    private mutating func start(
        _ batch: ExportBatch, entry: Int64, round: Int
    ) -> [CoalescedBatch] {
        keepOpen(Open(batch: CoalescedBatch(batch, entry: entry), round: round))
    }

    /// Keeps a batch open, or returns it if it is full.
    private mutating func keepOpen(_ current: Open) -> [CoalescedBatch] {
        let batch = current.batch
        guard batch.byteCount < bytesLimit, batch.recordCount < recordLimit
        else { return [batch] }
        open[batch.signal] = current
        return []
    }

    private func hasCapacity(_ open: CoalescedBatch, for batch: ExportBatch) -> Bool {
        open.byteCount + batch.byteCount <= bytesLimit
            && open.recordCount + batch.recordCount <= recordLimit
    }

    /// Closes and returns the batches whose fill wait ended by `round`, or all batches without a
    /// round.
    mutating func close(round: Int? = nil) -> [CoalescedBatch] {
        let due = open.values.filter { round == nil || $0.round <= round ?? 0 }.map(\.batch)
        for batch in due { open[batch.signal] = nil }
        return due
    }
}

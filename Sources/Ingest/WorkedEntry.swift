/// What goes out because of one entry of the journal.
public struct WorkedEntry: Sendable {
    public var number: Int64
    /// At most one for each signal; none where everything in it is held or has nothing to send.
    public var batches: [ExportBatch]

    public init(number: Int64, batches: [ExportBatch]) {
        self.number = number
        self.batches = batches
    }

    public var byteCount: Int { batches.reduce(0) { $0 + $1.body.count } }
}

/// Where exporters get results from: fresh ones from memory, older ones made from the journal again.
public protocol WorkedEntries: Sendable {
    /// The results behind `number`, in order and without a gap: at least one, and no more than about
    /// `bytes` if there are more. Waits until there is one; returns none when the task is cancelled.
    func results(after number: Int64, bytes: Int) async throws(JournalError) -> [WorkedEntry]
}

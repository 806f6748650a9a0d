/// The batches to export for one journal entry.
public struct ExportableEntry: Sendable {
    public var number: Int64
    /// The batches, at most one per signal. Empty if all records of the entry are held, or if it
    /// has nothing to send.
    public var batches: [ExportBatch]

    public init(number: Int64, batches: [ExportBatch]) {
        self.number = number
        self.batches = batches
    }

    public var byteCount: Int { batches.reduce(0) { $0 + $1.byteCount } }
}

/// The port through which exporters read: recent results from memory, older ones recomputed from
/// the journal.
public protocol ExportSource: Sendable {
    /// Returns the results after entry `number`, in order and without gaps: at least one, and about
    /// `bytes` at most. Waits until there is a result. The result is empty only if the task is
    /// cancelled.
    ///
    /// - Parameter exporter: The name of the exporter that reads. It reads each result once, so
    ///   results up to `number` need not be kept for it.
    func results(
        after number: Int64, bytes: Int, for exporter: String
    ) async throws(JournalError) -> [ExportableEntry]
}

import Algorithms

/// An exporter's position in the journal: every entry up to `number` has been delivered.
///
/// Batches finish out of order, so entries past the cursor may already be delivered. The cursor
/// moves only when the entries before them are.
struct ExportCursor: ~Copyable {
    private struct InFlightEntry {
        var entry: Int64
        var openBatchCount: Int
    }

    /// The last entry for which this entry and all earlier ones are delivered.
    private(set) var number: Int64
    /// Entries in flight, in ascending order. Those before `head` are delivered and not yet
    /// removed.
    private var inFlight: [InFlightEntry] = []
    private var head = 0

    init(_ number: Int64) { self.number = number }

    /// The number of entries started and not yet passed by the cursor.
    var inFlightCount: Int { inFlight.count - head }

    /// Starts tracking an entry. Call this in ascending order of entries.
    ///
    /// - Parameter batchCount: The number of batches the entry is split into; 0 if it has nothing
    ///   to send.
    mutating func start(entry: Int64, batchCount: Int) {
        precondition(
            entry > (inFlight.last?.entry ?? number), "entry: starts twice or out of order")
        inFlight.append(InFlightEntry(entry: entry, openBatchCount: batchCount))
        advance()
    }

    /// Adds a batch to an entry that is in flight.
    mutating func addBatch(of entry: Int64) {
        inFlight[index(of: entry)].openBatchCount += 1
    }

    /// Marks one batch of an entry as delivered.
    mutating func finishBatch(of entry: Int64) {
        inFlight[index(of: entry)].openBatchCount -= 1
        advance()
    }

    private mutating func advance() {
        while head < inFlight.count, inFlight[head].openBatchCount == 0 {
            number = inFlight[head].entry
            head += 1
        }
        // Each entry is moved at most once on average, and a long run of delivered ones is removed.
        if head > inFlight.count / 2 {
            inFlight.removeFirst(head)
            head = 0
        }
    }

    private func index(of entry: Int64) -> Int {
        let index = inFlight[head...].partitioningIndex { $0.entry >= entry }
        guard index < inFlight.count, inFlight[index].entry == entry else {
            preconditionFailure("entry: was not started or is delivered")
        }
        return index
    }
}

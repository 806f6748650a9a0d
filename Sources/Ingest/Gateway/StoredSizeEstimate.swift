/// Estimates the size of a request in the journal from the previous ones, because its exact size is
/// known only once the journal has compressed it.
struct StoredSizeEstimate {
    /// The ratio of stored to received bytes; 1, the maximum, before the first measurement.
    private var share = ExponentialAverage(value: 1)
    /// The bytes of the requests stored since the last measurement, as received.
    private var received: Int64 = 0
    /// The size of all entries at the last measurement, as stored.
    private var measured: Int64

    init(_ backlog: WorkerBacklog) { measured = backlog.allBytes }

    /// Returns the estimated size in the journal of a request of `count` received bytes.
    func storedBytes(of count: Int) -> Int64 { Int64((Double(count) * share.value).rounded(.up)) }

    /// Records that a request of `count` received bytes is in the journal.
    mutating func add(received count: Int) { received += Int64(count) }

    /// Compares the requests stored since the last call with the growth of the journal.
    mutating func measure(_ latest: WorkerBacklog) {
        let stored = latest.allBytes - measured
        guard stored > 0, received > 0 else { return }
        share.add(min(Double(stored) / Double(received), 1))
        (measured, received) = (latest.allBytes, 0)
    }
}

extension WorkerBacklog {
    /// The size of all entries, processed or not, as stored.
    fileprivate var allBytes: Int64 { bytes + processedBytes }
}

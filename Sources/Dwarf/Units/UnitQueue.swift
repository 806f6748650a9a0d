import Synchronization

/// Distributes the units of a file to any number of workers, in runs of adjacent units.
final class UnitQueue: Sendable {
    private let runs: [Range<Int>]
    private let next = Atomic(0)

    /// The minimum number of bytes of entries in a run. It is large enough to make releasing the
    /// pages worth a call, and small enough that all workers finish at about the same time.
    static let runBytes: UInt64 = 1 << 18

    init(_ units: [UnitHeader], runBytes: UInt64) {
        var starts: [Int] = []
        var bytes = UInt64.max
        for (index, unit) in units.enumerated() {
            if bytes >= runBytes {
                starts.append(index)
                bytes = 0
            }
            bytes += unit.size
        }
        runs = zip(starts, starts.dropFirst() + [units.count]).map { $0..<$1 }
    }

    /// Creates a queue with one run for each of the given units.
    init(only units: [Int]) { runs = units.map { $0..<$0 + 1 } }

    var runCount: Int { runs.count }

    /// Returns the next run, or `nil` if there are no more.
    func nextRun() -> Range<Int>? {
        let run = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return run < runCount ? runs[run] : nil
    }

    /// Discards the remaining runs.
    func stop() { next.store(runCount, ordering: .relaxed) }
}

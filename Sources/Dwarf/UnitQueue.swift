import Synchronization

/// Hands out the units of a file in runs that lie together, to as many workers as come.
final class UnitQueue: Sendable {
    /// The first unit of each run, and the number of all units.
    private let starts: [Int]
    private let next = Atomic(0)

    /// How many bytes of entries a run has at least: enough that giving back the memory behind it is
    /// worth a call, and little enough that no worker is left alone at the end.
    static let runBytes: UInt64 = 1 << 18

    init(_ units: [UnitHeader], runBytes: UInt64 = UnitQueue.runBytes) {
        var starts: [Int] = []
        var bytes = UInt64.max
        for (index, unit) in units.enumerated() {
            if bytes >= runBytes {
                starts.append(index)
                bytes = 0
            }
            bytes += unit.size
        }
        self.starts = starts + [units.count]
    }

    var runCount: Int { starts.count - 1 }

    /// The next run, or `nil` when all were handed out.
    func nextRun() -> Range<Int>? {
        let run = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return run < runCount ? starts[run]..<starts[run + 1] : nil
    }

    /// Hands out nothing more.
    func stop() { next.store(runCount, ordering: .relaxed) }
}

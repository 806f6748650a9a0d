import Synchronization

/// A limit on the work that a file may cause, in bytes read.
///
/// Every loop over a section ends with the section, but units may share line tables, entries may
/// share range lists, and tables may overlap, so a file of a megabyte could take hours. Reading
/// fails if it takes more work than the sizes of the sections explain.
final class WorkBudget {
    private let pool: WorkPool
    /// The amount taken from the pool and not spent yet.
    private var inHand: UInt64 = 0

    /// The amount taken from the pool at a time, so that workers seldom contend for it.
    private static let portion: UInt64 = 1 << 16

    init(from pool: WorkPool) { self.pool = pool }

    /// Spends `bytes`, or throws if they exceed the budget.
    @inline(__always)
    func spend(_ bytes: UInt64) throws(DwarfError) {
        if bytes <= inHand {
            inHand -= bytes
        } else {
            try refill(toSpend: bytes)
        }
    }

    private func refill(toSpend bytes: UInt64) throws(DwarfError) {
        let missing = bytes - inHand
        guard let taken = pool.take(atLeast: missing, wanted: max(missing, Self.portion))
        else { throw DwarfError(.workBudget) }
        inHand = inHand + taken - bytes
    }
}

/// The budget shared by all workers on a file.
final class WorkPool: Sendable {
    private let left: Atomic<UInt64>

    /// The budget in multiples of the file's size. Real files need less than two.
    static let timesItsSize: UInt64 = 8
    /// The minimum budget of a file, because the units of small files share a lot.
    static let least: UInt64 = 1 << 24

    /// - Parameter size: The size of the sections in bytes.
    init(size: UInt64, times: UInt64 = WorkPool.timesItsSize) {
        let (product, overflow) = size.multipliedReportingOverflow(by: times)
        left = Atomic(overflow ? .max : max(product, Self.least))
    }

    /// Takes `wanted`, or the rest if it is at least `least`. Otherwise it empties the pool and
    /// returns `nil`.
    func take(atLeast least: UInt64, wanted: UInt64) -> UInt64? {
        var before = left.load(ordering: .relaxed)
        while true {
            let taken = before >= least ? min(wanted, before) : 0
            let after = before >= least ? before - taken : 0
            let result = left.compareExchange(
                expected: before, desired: after, ordering: .relaxed)
            if result.exchanged { return before >= least ? taken : nil }
            before = result.original
        }
    }
}

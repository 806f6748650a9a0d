import Synchronization

/// How much work a file may cause, counted in bytes read.
///
/// Every loop over a section ends with the section, but units may share line tables, entries may
/// share range lists, and tables may overlap: a file of a megabyte could ask for hours. What the
/// sections' sizes do not explain is refused.
final class WorkBudget {
    private let pool: WorkPool
    /// What was taken from the pool and not spent yet.
    private var inHand: UInt64 = 0

    /// Taken from the pool at once, so that workers seldom meet there.
    private static let portion: UInt64 = 1 << 16

    init(from pool: WorkPool) { self.pool = pool }

    /// Takes `bytes` from what is left, or throws.
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

/// What all workers on a file may spend together.
final class WorkPool: Sendable {
    private let left: Atomic<UInt64>

    /// Real files need less than twice their size.
    static let timesItsSize: UInt64 = 8
    /// What a file of any size may use: small ones share much.
    static let least: UInt64 = 1 << 24

    /// - Parameter size: Of what is read, in bytes.
    init(size: UInt64, times: UInt64 = WorkPool.timesItsSize) {
        let (product, overflow) = size.multipliedReportingOverflow(by: times)
        left = Atomic(overflow ? .max : max(product, Self.least))
    }

    /// Takes what is wanted, or the rest if that is enough; else nothing is left for anybody.
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

/// How much work a file may cause, counted in bytes read.
///
/// Every loop over a section ends with the section, but units may share line tables, entries may
/// share range lists, and tables may overlap: a file of a megabyte could ask for hours. What the
/// sections' sizes do not explain is refused.
final class WorkBudget {
    private var left: UInt64

    /// Real files need less than twice their size.
    static let timesItsSize: UInt64 = 8
    /// What a file of any size may use: small ones share much.
    static let least: UInt64 = 1 << 24

    /// - Parameter size: Of what is read, in bytes.
    init(size: UInt64, times: UInt64 = WorkBudget.timesItsSize) {
        let (product, overflow) = size.multipliedReportingOverflow(by: times)
        left = overflow ? .max : max(product, Self.least)
    }

    /// Takes `bytes` from what is left, or throws.
    func spend(_ bytes: UInt64) throws(DwarfError) {
        guard bytes <= left else {
            left = 0
            throw DwarfError(.workBudget)
        }
        left -= bytes
    }
}

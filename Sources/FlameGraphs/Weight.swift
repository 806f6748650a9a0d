extension UInt64 {
    /// Adds a weight. The sum saturates at the largest 64-bit number.
    mutating func add(_ weight: UInt64) {
        let sum = addingReportingOverflow(weight)
        self = sum.overflow ? .max : sum.partialValue
    }

    /// Subtracts a weight. The difference saturates at 0.
    mutating func subtract(_ weight: UInt64) { self -= Swift.min(self, weight) }

    /// Returns this number times a fraction of at most 1, rounded down.
    func scaled(by part: UInt64, over whole: UInt64) -> UInt64 {
        let product = multipliedFullWidth(by: Swift.min(part, whole))
        return whole.dividingFullWidth(product).quotient
    }
}

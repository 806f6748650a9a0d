extension UInt64 {
    /// Adds a weight. A sum that does not fit in 64 bits stays at the largest number.
    mutating func add(_ weight: UInt64) {
        let sum = addingReportingOverflow(weight)
        self = sum.overflow ? .max : sum.partialValue
    }

    /// Subtracts a weight, down to 0.
    mutating func subtract(_ weight: UInt64) { self -= Swift.min(self, weight) }

    /// This number times a fraction of at most 1, rounded down.
    func scaled(by part: UInt64, over whole: UInt64) -> UInt64 {
        let product = multipliedFullWidth(by: Swift.min(part, whole))
        return whole.dividingFullWidth(product).quotient
    }
}

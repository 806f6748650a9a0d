extension [UInt8] {
    /// Returns a copy with one to four bytes replaced by values that often reveal errors. Must not
    /// be empty.
    public func damaged(using numbers: inout SplitMix64) -> [UInt8] {
        var damaged = self
        for _ in 0..<Int.random(in: 1...4, using: &numbers) {
            let place = Int.random(in: indices, using: &numbers)
            damaged[place] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &numbers) ?? 0
        }
        return damaged
    }
}

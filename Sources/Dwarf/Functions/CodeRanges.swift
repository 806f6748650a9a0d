import CallStacks

extension [Range<ImageOffset>] {
    /// Returns the same code in ascending order, with overlapping ranges joined. Adjacent ranges
    /// stay separate, because each may have its own symbol.
    func disjoint() -> Self {
        guard count > 1 else { return self }
        var joined: Self = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound < last.upperBound {
                joined[joined.count - 1] =
                    last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    /// Returns the parts of these ranges that `others` do not cover. Both must be ascending and
    /// disjoint.
    func subtracting(_ others: Self) -> Self {
        var left: Self = []
        var next = 0
        for range in self {
            var start = range.lowerBound
            while next < others.count, others[next].lowerBound < range.upperBound {
                let other = others[next]
                if start < other.lowerBound { left.append(start..<other.lowerBound) }
                start = Swift.max(start, other.upperBound)
                // The rest of `other` may cover the next range too.
                if other.upperBound > range.upperBound { break }
                next += 1
            }
            if start < range.upperBound { left.append(start..<range.upperBound) }
        }
        return left
    }
}

extension ByteInterner {
    /// Returns the numbers of all strings, in ascending order of their bytes.
    ///
    /// Linkage names share long prefixes, so comparing them in pairs reads the same bytes
    /// repeatedly. Instead, each round sorts by eight bytes as one number, and only strings that
    /// are equal so far enter the next round, eight bytes further. Small groups are compared
    /// directly, because further rounds would take longer.
    func numbersInOrder() -> [UInt32] {
        var keys = (0..<UInt32(count)).map { key(of: $0, at: 0) }
        var open = [(range: 0..<keys.count, depth: 0)]
        while let (range, depth) = open.popLast() {
            if range.count <= Self.fewCount {
                sortFew(&keys, range: range, at: depth)
                continue
            }
            if depth > 0 {
                for index in range { keys[index] = key(of: keys[index].number, at: depth) }
            }
            Self.sort(&keys, range: range)
            var first = range.lowerBound
            while first < range.upperBound {
                var end = first + 1
                while end < range.upperBound, keys[end].isEqual(to: keys[first]) { end += 1 }
                if end - first > 1 { open.append((first..<end, depth + 8)) }
                first = end
            }
        }
        return keys.map(\.number)
    }

    private static let fewCount = 12

    /// Sorts strings that share their first `depth` bytes.
    private func sortFew(_ keys: inout [OrderKey], range: Range<Int>, at depth: Int) {
        for index in range.dropFirst() {
            let key = keys[index]
            var hole = index
            while hole > range.lowerBound, precedes(key.number, keys[hole - 1].number, from: depth)
            {
                keys[hole] = keys[hole - 1]
                hole -= 1
            }
            keys[hole] = key
        }
    }

    /// Sorts in place. Sorting a slice would copy it twice.
    private static func sort(_ keys: inout [OrderKey], range: Range<Int>) {
        unsafe keys.withUnsafeMutableBufferPointer { keys in
            var part = unsafe UnsafeMutableBufferPointer(rebasing: keys[range])
            unsafe part.sort()
        }
    }

    private func key(of number: UInt32, at depth: Int) -> OrderKey {
        withText(number) { text in
            let left = max(text.count - depth, 0)
            return OrderKey(
                word: text.bigEndianWord(at: min(depth, text.count)),
                length: UInt32(min(left, 9)), number: number)
        }
    }
}

/// Eight bytes of a string, most significant first.
private struct OrderKey: Comparable {
    var word: UInt64
    /// The number of remaining bytes, at most 9. It distinguishes the end of a string from zeros.
    var length: UInt32
    var number: UInt32

    static func < (left: Self, right: Self) -> Bool {
        left.word != right.word ? left.word < right.word : left.length < right.length
    }

    func isEqual(to other: Self) -> Bool { word == other.word && length == other.length }
}

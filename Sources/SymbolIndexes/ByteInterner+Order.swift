extension ByteInterner {
    /// The numbers of all strings, ascending by their bytes.
    ///
    /// Linkage names share long beginnings, so comparing them two by two reads the same bytes over
    /// and over. Here each round sorts by eight bytes held as one number, and only those that are
    /// equal so far go into the next round, eight bytes further on. A few that are left are compared
    /// after all: rounds of their own would cost more.
    func numbersInOrder() -> [UInt32] {
        var keys = (0..<UInt32(count)).map { key(of: $0, at: 0) }
        var open = [(range: 0..<keys.count, depth: 0)]
        while let (range, depth) = open.popLast() {
            if range.count <= Self.fewCount {
                sortFew(&keys, range, at: depth)
                continue
            }
            if depth > 0 {
                for index in range { keys[index] = key(of: keys[index].number, at: depth) }
            }
            Self.sort(&keys, range)
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
    private func sortFew(_ keys: inout [OrderKey], _ range: Range<Int>, at depth: Int) {
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

    /// In place: a slice of an array would be copied out and in.
    private static func sort(_ keys: inout [OrderKey], _ range: Range<Int>) {
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
    /// How many bytes the string has from here on, at most 9: it tells a string that ends from one
    /// that goes on with zeros.
    var length: UInt32
    var number: UInt32

    static func < (left: Self, right: Self) -> Bool {
        left.word != right.word ? left.word < right.word : left.length < right.length
    }

    func isEqual(to other: Self) -> Bool { word == other.word && length == other.length }
}

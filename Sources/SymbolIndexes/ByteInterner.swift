/// Byte strings, each kept once, in one piece of memory, and known by a number.
///
/// Numbers count in the order of arrival. Millions of names come by, so there is neither an object
/// nor a `String` for each: only bytes, an end, and a slot in a table.
struct ByteInterner: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Where each string ends, which is where the next one starts.
    private var ends: [UInt32] = []
    private var hashes: [UInt32] = []
    /// Number + 1 by hash, with linear probing; 0 is free. Its count is a power of two.
    private var slots = [UInt32](repeating: 0, count: 64)
    private let seed = UInt64.random(in: 1 ... .max) | 1
    /// Whether a string was left out because there were too many bytes already.
    private(set) var isFull = false
    /// The most bytes that are kept.
    private let bytesLimit: Int

    init(bytesLimit: Int = IndexLimits.textBytes) { self.bytesLimit = bytesLimit }

    var count: Int { ends.count }

    /// The number of `text`; 0, the first string, if there is no room left.
    mutating func number(of text: Span<UInt8>) -> UInt32 {
        let hash = Self.hash(text, seed: seed)
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = slots[slot] - 1
            if hashes[Int(number)] == hash, matches(number, text) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        guard bytes.count + text.count <= bytesLimit else {
            isFull = true
            return 0
        }
        return insert(text, hash: hash, slot: slot)
    }

    func range(of number: UInt32) -> Range<Int> {
        let first = number == 0 ? 0 : Int(ends[Int(number) - 1])
        return first..<Int(ends[Int(number)])
    }

    private mutating func insert(_ text: Span<UInt8>, hash: UInt32, slot: Int) -> UInt32 {
        let number = UInt32(ends.count)
        unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        ends.append(UInt32(bytes.count))
        hashes.append(hash)
        slots[slot] = number + 1
        if ends.count * 2 > slots.count { grow() }
        return number
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (number, hash) in hashes.enumerated() {
            var slot = Int(hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number) + 1
        }
    }

    private func matches(_ number: UInt32, _ text: Span<UInt8>) -> Bool {
        let range = range(of: number)
        guard range.count == text.count else { return false }
        return unsafe bytes.span.extracting(range).withUnsafeBufferPointer { mine in
            unsafe text.withUnsafeBufferPointer { theirs in
                unsafe mine.elementsEqual(theirs)
            }
        }
    }

    /// Multiplies eight bytes at a time. The seed is random, so that nobody can prepare names that
    /// all fall into one slot; no number depends on it.
    private static func hash(_ text: Span<UInt8>, seed: UInt64) -> UInt32 {
        var state = seed ^ UInt64(text.count)
        unsafe text.withUnsafeBytes { raw in
            var position = 0
            while raw.count - position >= 8 {
                let word = unsafe raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                state = mixed(state ^ word, seed)
                position += 8
            }
            var rest: UInt64 = 0
            while position < raw.count {
                rest = unsafe rest << 8 | UInt64(raw[position])
                position += 1
            }
            state = mixed(state ^ rest, seed)
        }
        return UInt32(truncatingIfNeeded: state ^ state >> 32)
    }

    private static func mixed(_ value: UInt64, _ seed: UInt64) -> UInt64 {
        let product = (value ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: seed)
        return product.high ^ product.low
    }
}

extension ByteInterner {
    /// Takes the strings of `other`, and says which number each has here.
    mutating func merge(_ other: Self) -> [UInt32] {
        if other.isFull { isFull = true }
        return (0..<UInt32(other.count)).map { number in
            self.number(of: other.bytes.span.extracting(other.range(of: number)))
        }
    }

    /// For each number its place among all strings, ascending by their bytes.
    func ranks() -> [UInt32] {
        var ranks = [UInt32](repeating: 0, count: count)
        for (rank, number) in numbersInOrder().enumerated() { ranks[Int(number)] = UInt32(rank) }
        return ranks
    }
}

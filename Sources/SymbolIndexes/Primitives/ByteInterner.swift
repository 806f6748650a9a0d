/// Byte strings, each stored once and identified by a number.
///
/// Numbers are in the order of insertion. There can be millions of names, so a name is not an
/// object or a `String`, but only bytes, a position, and a slot in a table.
struct ByteInterner: Sendable {
    /// The position of a string.
    private struct Extent: Sendable {
        var chunk: UInt32
        var offset: UInt32
        var count: UInt32

        var range: Range<Int> { Int(offset)..<Int(offset) + Int(count) }
    }

    /// The strings one after another, in chunks, so that growing needs no copying.
    private var chunks: [[UInt8]] = [[]]
    private var extents: [Extent] = []
    /// Slots of hash << 32 | number + 1, with linear probing; 0 is free. The count is a power of
    /// two.
    private var slots = [UInt64](repeating: 0, count: 64)
    /// The total size of the strings, in bytes.
    private(set) var bytesKept = 0
    /// Whether a string was dropped because the limit was reached.
    private(set) var isFull = false
    /// The maximum total size, in bytes.
    private let bytesLimit: Int
    private static let chunkSize = 1 << 20
    /// A random seed, so that names with colliding slots cannot be crafted. Numbers do not depend
    /// on it.
    private static let seed = UInt64.random(in: 1 ... .max) | 1

    init(bytesLimit: Int = IndexLimits.textBytes) { self.bytesLimit = bytesLimit }

    var count: Int { extents.count }

    /// Returns the number of `text`, or 0, the first string, if the limit is reached.
    mutating func number(of text: Span<UInt8>) -> UInt32 {
        let hash = Self.hash(text)
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            if UInt32(truncatingIfNeeded: slots[slot] >> 32) == hash {
                let number = UInt32(truncatingIfNeeded: slots[slot]) - 1
                let extent = extents[Int(number)]
                if extent.count == text.count, withText(number, { $0.hasBytes(of: text) }) {
                    return number
                }
            }
            slot = (slot + 1) & mask
        }
        guard bytesKept + text.count <= bytesLimit else {
            isFull = true
            return 0
        }
        return insert(text, hash: hash, slot: slot)
    }

    /// Calls `body` with the bytes of a string.
    @inline(__always)
    func withText<Result>(_ number: UInt32, _ body: (Span<UInt8>) -> Result) -> Result {
        let extent = extents[Int(number)]
        return chunks.borrowing(Int(extent.chunk)) { body($0.span.extracting(extent.range)) }
    }

    func length(of number: UInt32) -> Int { Int(extents[Int(number)].count) }

    private mutating func insert(_ text: Span<UInt8>, hash: UInt32, slot: Int) -> UInt32 {
        let number = UInt32(extents.count)
        if chunks[chunks.count - 1].count + text.count > Self.chunkSize {
            var chunk: [UInt8] = []
            chunk.reserveCapacity(Self.chunkSize)
            chunks.append(chunk)
        }
        let last = chunks.count - 1
        extents.append(
            Extent(
                chunk: UInt32(last), offset: UInt32(chunks[last].count), count: UInt32(text.count)))
        chunks[last].append(text)
        bytesKept += text.count
        slots[slot] = UInt64(hash) << 32 | UInt64(number + 1)
        if extents.count * 2 > slots.count { grow() }
        return number
    }

    private mutating func grow() {
        let before = slots
        slots = [UInt64](repeating: 0, count: before.count * 2)
        let mask = slots.count - 1
        for content in before where content != 0 {
            var slot = Int(truncatingIfNeeded: content >> 32) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = content
        }
    }

    /// Hashes eight bytes at a time; the last eight may overlap the previous ones.
    private static func hash(_ text: Span<UInt8>) -> UInt32 {
        let seed = seed
        var state = seed ^ UInt64(text.count)
        var position = 0
        while text.count - position > 8 {
            state = mixed(state ^ text.word(at: position), seed: seed)
            position += 8
        }
        state = mixed(state ^ text.lastWord, seed: seed)
        return UInt32(truncatingIfNeeded: state ^ state >> 32)
    }

    @inline(__always)
    private static func mixed(_ value: UInt64, seed: UInt64) -> UInt64 {
        let product = (value ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: seed)
        return product.high ^ product.low
    }
}

extension ByteInterner {
    /// Adds the strings of `other`, and returns the new number of each.
    mutating func merge(_ other: Self) -> [UInt32] {
        if other.isFull { isFull = true }
        return (0..<UInt32(other.count)).map { number in
            other.withText(number) { self.number(of: $0) }
        }
    }

    /// Whether a string precedes another in byte order.
    ///
    /// - Parameter shared: The length of a known common prefix.
    func precedes(_ left: UInt32, _ right: UInt32, from shared: Int = 0) -> Bool {
        left != right
            && withText(left) { left in
                withText(right) { right in left.precedes(right, from: shared) }
            }
    }

    /// Returns the length of the common prefix of two strings.
    func sharedCount(_ left: UInt32, _ right: UInt32) -> Int {
        withText(left) { left in
            withText(right) { right in left.sharedCount(right) }
        }
    }
}

/// A string table that contains each name once.
struct NamePool {
    /// The table's bytes, beginning with the empty name.
    private(set) var bytes: [UInt8] = [0]
    /// An open-addressing hash table of offsets in ``bytes``; 0 is a free slot.
    private var slots: [UInt32]

    /// The size limit in bytes. The names of the largest real image have some ten megabytes.
    static let bytesLimit = 1 << 30

    /// - Parameter count: The maximum number of names.
    init(forUpTo count: Int) {
        var slotCount = 1 << 10
        while slotCount <= 2 * count { slotCount *= 2 }
        slots = [UInt32](repeating: 0, count: slotCount)
    }

    /// Returns the offset of a name, adding it if needed, or `nil` if the table is full.
    mutating func offset(of name: Span<UInt8>) -> UInt32? {
        var slot = firstSlot(name)
        while slots[slot] != 0 {
            if isName(at: Int(slots[slot]), name) { return slots[slot] }
            slot = (slot + 1) & (slots.count - 1)
        }
        let offset = UInt32(bytes.count)
        guard bytes.count + name.count < Self.bytesLimit else { return nil }
        unsafe name.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(0)
        slots[slot] = offset
        return offset
    }

    /// Pads the table, so that the following data is aligned.
    mutating func close() {
        while !bytes.count.isMultiple(of: 8) { bytes.append(0) }
    }

    private func isName(at offset: Int, _ name: Span<UInt8>) -> Bool {
        guard offset + name.count < bytes.count, bytes[offset + name.count] == 0 else {
            return false
        }
        let known = bytes.span.extracting(offset..<offset + name.count)
        return known.isEqual(to: name)
    }

    private func firstSlot(_ name: Span<UInt8>) -> Int {
        Int(truncatingIfNeeded: name.hash >> 20) & (slots.count - 1)
    }
}

extension Span<UInt8> {
    fileprivate func isEqual(to other: Self) -> Bool {
        unsafe withUnsafeBytes { bytes in
            unsafe other.withUnsafeBytes { other in unsafe bytes.elementsEqual(other) }
        }
    }

    /// FNV-1a over words of eight bytes, then over the remaining bytes.
    fileprivate var hash: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        let factor: UInt64 = 0x0000_0100_0000_01b3
        let words = bytes
        var index = 0
        while index + 8 <= count {
            let word = unsafe words.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            hash = (hash ^ word) &* factor
            // The factor moves low bits up; the high bits of a word have to affect low ones too.
            hash ^= hash >> 32
            index += 8
        }
        while index < count {
            hash = (hash ^ UInt64(self[index])) &* factor
            index += 1
        }
        return hash
    }
}

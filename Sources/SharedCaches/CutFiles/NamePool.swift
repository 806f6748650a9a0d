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

    /// Returns the slot where the search for a name starts. It is seeded for each run, so that names
    /// with the same slot cannot be crafted. Offsets do not depend on it.
    private func firstSlot(_ name: Span<UInt8>) -> Int {
        var hasher = Hasher()
        unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize() & (slots.count - 1)
    }
}

extension Span<UInt8> {
    fileprivate func isEqual(to other: Self) -> Bool {
        unsafe withUnsafeBytes { bytes in
            unsafe other.withUnsafeBytes { other in unsafe bytes.elementsEqual(other) }
        }
    }
}

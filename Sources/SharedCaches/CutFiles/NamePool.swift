import CallStacks

/// A string table that contains each name once.
struct NamePool {
    /// The table's bytes, beginning with the empty name.
    private(set) var bytes: [UInt8] = [0]
    /// An open-addressing hash table of offsets in ``bytes``; 0 is a free slot.
    private var slots: [UInt32]
    private var count = 0

    /// The size limit in bytes. The names of the largest real image have some ten megabytes.
    static let bytesLimit = 1 << 30

    /// - Parameter count: The expected number of names.
    init(expecting count: Int) {
        var slotCount = 1 << 10
        while slotCount <= 2 * count { slotCount *= 2 }
        slots = [UInt32](repeating: 0, count: slotCount)
    }

    /// Returns the offset of a name, adding it if needed, or `nil` if the table is full.
    mutating func place(of name: Span<UInt8>) -> UInt32? {
        if 2 * count >= slots.count { grow() }
        var slot = firstSlot(hash(name))
        while slots[slot] != 0 {
            if isName(at: Int(slots[slot]), name) { return slots[slot] }
            slot = (slot + 1) & (slots.count - 1)
        }
        let place = UInt32(bytes.count)
        guard bytes.count + name.count < Self.bytesLimit else { return nil }
        unsafe name.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(0)
        slots[slot] = place
        count += 1
        return place
    }

    /// Pads the table, so that the following data is aligned.
    mutating func close() {
        while !bytes.count.isMultiple(of: 8) { bytes.append(0) }
    }

    private func isName(at place: Int, _ name: Span<UInt8>) -> Bool {
        guard place + name.count < bytes.count, bytes[place + name.count] == 0 else { return false }
        for index in name.indices where bytes[place + index] != name[index] { return false }
        return true
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt32](repeating: 0, count: 2 * old.count)
        for place in old where place != 0 {
            var slot = firstSlot(hash(at: Int(place)))
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = place
        }
    }

    private func firstSlot(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> 20) & (slots.count - 1)
    }

    private func hash(_ name: Span<UInt8>) -> UInt64 {
        var hash = Self.seed
        for index in name.indices { hash = (hash ^ UInt64(name[index])) &* Self.factor }
        return hash
    }

    private func hash(at place: Int) -> UInt64 {
        var hash = Self.seed
        var index = place
        while bytes[index] != 0 {
            hash = (hash ^ UInt64(bytes[index])) &* Self.factor
            index += 1
        }
        return hash
    }

    /// FNV-1a.
    private static let seed: UInt64 = 0xcbf2_9ce4_8422_2325
    private static let factor: UInt64 = 0x0000_0100_0000_01b3
}

/// Values by offsets into a section, with linear probing.
///
/// Reading a file can take millions of lookups of names by entry offset, so a lookup must cost
/// little more than its memory access. Offsets of more than 32 bits, which are rare, are therefore
/// not stored.
struct OffsetTable<Value: BitwiseCopyable> {
    private struct Slot {
        /// The offset + 1, or 0 for a free slot.
        var key: UInt32
        var value: Value
    }

    private var slots: [Slot]
    private var count = 0
    private let empty: Value
    /// A random factor, so that a file with colliding offsets cannot be crafted.
    private let factor = UInt64.random(in: 0 ... .max) | 1

    private static var offsetLimit: UInt64 { UInt64(UInt32.max) }
    private static var leastSlots: Int { 64 }
    /// The number of slots per offset above which a new small table is cheaper.
    private static var sparseness: Int { 256 }

    /// - Parameter empty: Any value.
    init(empty: Value) {
        self.empty = empty
        slots = Array(repeating: Slot(key: 0, value: empty), count: Self.leastSlots)
    }

    subscript(offset: UInt64) -> Value? {
        guard offset < Self.offsetLimit else { return nil }
        let slot = slots[slotIndex(of: UInt32(offset) + 1)]
        return slot.key == 0 ? nil : slot.value
    }

    /// Adds or replaces the value for an offset.
    mutating func insert(_ value: Value, at offset: UInt64) {
        guard offset < Self.offsetLimit else { return }
        let key = UInt32(offset) + 1
        let index = slotIndex(of: key)
        if slots[index].key == 0 { count += 1 }
        slots[index] = Slot(key: key, value: value)
        if count &* 2 > slots.count { grow() }
    }

    /// Empties the table and keeps its storage, unless it is far too large.
    mutating func removeAll() {
        if count == 0 { return }
        let size = slots.count > Self.sparseness * count ? Self.leastSlots : slots.count
        if size == slots.count {
            for index in slots.indices { slots[index].key = 0 }
        } else {
            slots = Array(repeating: Slot(key: 0, value: empty), count: size)
        }
        count = 0
    }

    /// Returns the slot of a key, or the free slot for it.
    private func slotIndex(of key: UInt32) -> Int {
        let mask = slots.count &- 1
        var index = Int(truncatingIfNeeded: (UInt64(key) &* factor) &>> 32) & mask
        while slots[index].key != 0, slots[index].key != key { index = (index &+ 1) & mask }
        return index
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(key: 0, value: empty), count: old.count * 2)
        for slot in old where slot.key != 0 { slots[slotIndex(of: slot.key)] = slot }
    }
}

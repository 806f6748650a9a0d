/// Values by offsets into a section, with linear probing.
///
/// A file asks for the name of millions of calls by the offset of an entry, so a question has to cost
/// little more than the memory it touches. Offsets of more than 32 bits, which hardly any file has,
/// are therefore not kept.
struct OffsetTable<Value: BitwiseCopyable> {
    private struct Slot {
        /// Offset + 1; 0 is free.
        var key: UInt32
        var value: Value
    }

    private var slots: [Slot]
    private var count = 0
    private let empty: Value
    /// Random, so that nobody can prepare offsets that all fall into one slot.
    private let factor = UInt64.random(in: 0 ... .max) | 1

    private static var offsetLimit: UInt64 { UInt64(UInt32.max) }
    private static var leastSlots: Int { 64 }
    /// How many slots an offset may have before it is cheaper to begin with a small table again.
    private static var sparseness: Int { 256 }

    /// - Parameter empty: Any value.
    init(empty: Value) {
        self.empty = empty
        slots = Array(repeating: Slot(key: 0, value: empty), count: Self.leastSlots)
    }

    subscript(offset: UInt64) -> Value? {
        guard offset < Self.offsetLimit else { return nil }
        let slot = slots[place(of: UInt32(offset) + 1)]
        return slot.key == 0 ? nil : slot.value
    }

    /// Adds a value for an offset that has none, or replaces it.
    mutating func insert(_ value: Value, at offset: UInt64) {
        guard offset < Self.offsetLimit else { return }
        let key = UInt32(offset) + 1
        let place = place(of: key)
        if slots[place].key == 0 { count += 1 }
        slots[place] = Slot(key: key, value: value)
        if count &* 2 > slots.count { grow() }
    }

    /// Empties the table and keeps its storage, unless that is far too large.
    mutating func removeAll() {
        if count == 0 { return }
        let size = slots.count > Self.sparseness * count ? Self.leastSlots : slots.count
        if size == slots.count {
            for place in slots.indices { slots[place].key = 0 }
        } else {
            slots = Array(repeating: Slot(key: 0, value: empty), count: size)
        }
        count = 0
    }

    /// Where the key is, or would be.
    private func place(of key: UInt32) -> Int {
        let mask = slots.count &- 1
        var place = Int(truncatingIfNeeded: (UInt64(key) &* factor) &>> 32) & mask
        while slots[place].key != 0, slots[place].key != key { place = (place &+ 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(key: 0, value: empty), count: old.count * 2)
        for slot in old where slot.key != 0 { slots[place(of: slot.key)] = slot }
    }
}

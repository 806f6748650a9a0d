/// The nodes of a graph by caller and function.
///
/// Merging stacks that hardly overlap consists mostly of lookups here, of pairs of small numbers.
/// An open-addressing hash table of such pairs takes a third of the time of a `Dictionary`.
struct EdgeTable: Sendable {
    private struct Slot {
        /// The caller and the function in 32 bits each; the caller is 0 for an outermost call, and
        /// otherwise one more than its index.
        var key: UInt64
        /// One more than the node's index, or 0 for an empty slot.
        var node: UInt32
    }

    private var slots = Array(repeating: Slot(key: 0, node: 0), count: 64)
    private var count = 0
    /// A random seed per table, so that a report with colliding pairs cannot be crafted.
    private let seed = UInt64.random(in: .min ... .max)

    /// Returns the node of a call, or adds a node and returns `nil`.
    ///
    /// - Parameter node: The index of the node to add.
    mutating func find(
        caller: FlameGraph.Index?, function: Int, orAdd node: FlameGraph.Index
    ) -> FlameGraph.Index? {
        let key = UInt64(UInt32(caller.map { $0 + 1 } ?? 0)) << 32 | UInt64(UInt32(function))
        let index = slotIndex(of: key)
        if slots[index].node > 0 { return Int(slots[index].node) - 1 }
        slots[index] = Slot(key: key, node: UInt32(node + 1))
        count += 1
        if count * 2 > slots.count { grow() }
        return nil
    }

    /// Returns the slot of a pair, or the empty slot in which to store it.
    private func slotIndex(of key: UInt64) -> Int {
        var index = Int(truncatingIfNeeded: hash(key)) & (slots.count - 1)
        while slots[index].node > 0, slots[index].key != key {
            index = (index + 1) & (slots.count - 1)
        }
        return index
    }

    /// The finalizer of SplitMix64, in which every bit of the key affects about half of the
    /// result's bits.
    private func hash(_ key: UInt64) -> UInt64 {
        var hash = key ^ seed
        hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
        return hash ^ (hash >> 31)
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(key: 0, node: 0), count: old.count * 2)
        for slot in old where slot.node > 0 { slots[slotIndex(of: slot.key)] = slot }
    }
}

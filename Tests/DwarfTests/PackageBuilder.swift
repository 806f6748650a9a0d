import ByteReading
import TestSupport

@testable import Dwarf

/// Writes the index of a package of split units.
struct PackageBuilder {
    struct Unit {
        let id: UInt64
        /// The offset and size in the section of each column.
        let parts: [(offset: UInt32, size: UInt32)]
    }

    var version: UInt16 = 5
    /// `DW_SECT_` numbers.
    var columns: [UInt32] = [1]
    var slotCount: UInt32 = 4
    var units: [Unit] = []
    /// Wrong rows by slot, which override those of ``units``.
    var falseRows: [Int: UInt32] = [:]

    func bytes(bigEndian: Bool = false) -> [UInt8] {
        var ids = [UInt64](repeating: 0, count: Int(slotCount))
        var rows = [UInt32](repeating: 0, count: Int(slotCount))
        for (number, unit) in units.enumerated() {
            let slot = freeSlot(for: unit.id, among: rows)
            ids[slot] = unit.id
            rows[slot] = UInt32(number + 1)
        }
        for (slot, row) in falseRows { rows[slot] = row }
        var writer = ByteWriter(bigEndian: bigEndian)
        if version == 2 {
            writer.add(UInt32(2))
        } else {
            writer.add(version)
            writer.add(UInt16(0))
        }
        writer.add(UInt32(columns.count))
        writer.add(UInt32(units.count))
        writer.add(slotCount)
        for id in ids { writer.add(id) }
        for row in rows { writer.add(row) }
        for column in columns { writer.add(column) }
        for unit in units { for part in unit.parts { writer.add(part.offset) } }
        for unit in units { for part in unit.parts { writer.add(part.size) } }
        return writer.bytes
    }

    /// The first free slot on the path of a search (DWARF 5, 7.3.5.3).
    private func freeSlot(for id: UInt64, among rows: [UInt32]) -> Int {
        let mask = UInt64(slotCount) - 1
        var slot = id & mask
        while rows[Int(slot)] != 0 { slot = (slot + ((id >> 32) & mask | 1)) & mask }
        return Int(slot)
    }
}

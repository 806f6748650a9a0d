import ByteReading
import Dwarf

/// The range of a unit and properties of its abbreviations, found without the compared readers as
/// far as possible.
struct UnitExtent {
    /// The offset in `.debug_info`.
    let start: UInt64
    private let end: UInt64
    /// Whether two of its abbreviations have the same code.
    private(set) var hasAmbiguousAbbreviations = false
    /// Whether entries may have the offset of their next sibling.
    private(set) var hasSiblings = false

    private static let sibling: UInt64 = 0x01
    private static let implicitConstant: UInt64 = 0x21

    func contains(_ place: UInt64) -> Bool { start <= place && place < end }

    /// Returns the units up to the first one with an unreadable length.
    static func all(in sections: DwarfSections) -> [UnitExtent] {
        var cursor = ByteCursor(sections.bytes(.info), bigEndian: sections.isBigEndian)
        var units: [UnitExtent] = []
        while let unit = try? UnitExtent(from: &cursor, sections) { units.append(unit) }
        return units
    }

    private init(from cursor: inout ByteCursor, _ sections: DwarfSections) throws(ReadingError) {
        start = cursor.offset
        let short = try cursor.number(UInt32.self)
        let isLong = short == .max
        let length = isLong ? try cursor.number(UInt64.self) : UInt64(short)
        var fields = cursor
        try cursor.skip(length)
        end = cursor.offset
        // Zeros between units, or a unit without room for a header.
        guard let version = try? fields.number(UInt16.self) else { return }
        if version >= 5 { _ = try? fields.number(UInt16.self) }
        guard let abbreviations = try? fields.unsigned(size: isLong ? 8 : 4) else { return }
        var table = ByteCursor(
            sections.bytes(.abbrev), at: abbreviations, bigEndian: sections.isBigEndian)
        // Damage ends the table here, as in the readers.
        try? readAbbreviations(from: &table)
    }

    private mutating func readAbbreviations(from table: inout ByteCursor) throws(ReadingError) {
        var codes: Set<UInt64> = []
        while true {
            let code = try table.uleb128()
            if code == 0 { return }
            if !codes.insert(code).inserted { hasAmbiguousAbbreviations = true }
            _ = try table.uleb128()
            _ = try table.number(UInt8.self)
            while true {
                let (name, form) = (try table.uleb128(), try table.uleb128())
                if form == Self.implicitConstant { _ = try table.uleb128() }
                if name == 0, form == 0 { break }
                if name == Self.sibling { hasSiblings = true }
            }
        }
    }
}

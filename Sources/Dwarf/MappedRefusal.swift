import ByteReading
import CLibDwarf

/// Why the entries of a file are not read from the mapped bytes and libdwarf has to do it.
public enum MappedRefusal: Hashable, Sendable {
    /// Somebody wanted a second opinion.
    case notWanted
    case bigEndian
    /// Entries are in `.dwo` files.
    case splitDwarf
    /// A `DW_FORM_` number that the standard does not know, or knows only from version 6 on.
    case form(UInt64)
}

extension MappedRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notWanted: "libdwarf was asked for"
        case .bigEndian: "numbers are big-endian"
        case .splitDwarf: "entries are in .dwo files"
        case .form(let form): "form 0x\(String(form, radix: 16)) is not of DWARF 2 to 5"
        }
    }
}

extension MappedRefusal {
    /// What stands against reading `units`, or `nil`. Looks at their headers and abbreviations only.
    init?(of sections: DwarfSections, units: [UnitHeader]) {
        if sections.isBigEndian {
            self = .bigEndian
            return
        }
        var seen = OffsetTable(empty: false)
        let budget = WorkBudget(
            from: WorkPool(size: UInt64(sections.bytes(.abbrev).count)))
        for unit in units {
            if unit.kind == UnitHeader.Kind.splitCompile || unit.kind == UnitHeader.Kind.splitType {
                self = .splitDwarf
                return
            }
            if seen[unit.abbreviations] != nil { continue }
            seen.insert(true, at: unit.abbreviations)
            // A table that is damaged costs its units, when they are opened.
            guard
                var table = try? AbbreviationCursor(
                    sections.bytes(.abbrev), at: unit.abbreviations)
            else { continue }
            if let found = try? Self.refusal(in: &table) {
                self = found
                return
            }
            // So does one that takes too long.
            do { try budget.spend(table.offset - unit.abbreviations) } catch { return nil }
        }
        return nil
    }

    private static func refusal(
        in table: inout AbbreviationCursor
    ) throws(ReadingError) -> MappedRefusal? {
        let shapes = FormShape.anyTable
        while try table.nextEntry() != nil {
            var namesOtherFile = false
            var hasCode = false
            while let attribute = try table.nextAttribute() {
                if shapes[attribute.form] == nil { return .form(attribute.form) }
                switch Int32(truncatingIfNeeded: attribute.name) {
                case DW_AT_dwo_name, DW_AT_GNU_dwo_name: namesOtherFile = true
                case DW_AT_low_pc, DW_AT_ranges: hasCode = true
                default: break
                }
            }
            // Swift's references to modules name another file as well, and have no code.
            if namesOtherFile, hasCode { return .splitDwarf }
        }
        return nil
    }
}

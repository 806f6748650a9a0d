import ByteReading

/// The reason why the entries of a file are read with libdwarf and not from the mapped bytes.
public enum MappedRefusal: Hashable, Sendable {
    /// The caller requested libdwarf.
    case notWanted
    case bigEndian
    /// A `DW_FORM_` number that is not in the standard up to version 5.
    case form(UInt64)
}

extension MappedRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notWanted: "libdwarf was asked for"
        case .bigEndian: "numbers are big-endian"
        case .form(let form): "form 0x\(String(form, radix: 16)) is not of DWARF 2 to 5"
        }
    }
}

extension MappedRefusal {
    /// Returns why `units` cannot be read, or `nil` if they can. Reads only headers and
    /// abbreviations.
    init?(of sections: DwarfSections, units: [UnitHeader]) {
        if sections.isBigEndian {
            self = .bigEndian
            return
        }
        var seen = OffsetTable(empty: false)
        let budget = WorkBudget(
            from: WorkPool(size: UInt64(sections.bytes(.abbrev).count)))
        for unit in units {
            if seen[unit.abbreviations] != nil { continue }
            seen.insert(true, at: unit.abbreviations)
            // A damaged table makes its units fail when they are opened.
            guard
                var table = try? AbbreviationCursor(
                    sections.bytes(.abbrev), at: unit.abbreviations)
            else { continue }
            if let found = try? Self.refusal(in: &table) {
                self = found
                return
            }
            // So does a table that takes too much work.
            do { try budget.spend(table.offset - unit.abbreviations) } catch { return nil }
        }
        return nil
    }

    private static func refusal(
        in table: inout AbbreviationCursor
    ) throws(ReadingError) -> MappedRefusal? {
        let shapes = FormShape.anyTable
        while try table.nextEntry() != nil {
            while let attribute = try table.nextAttribute() {
                if shapes[attribute.form] == nil { return .form(attribute.form) }
            }
        }
        return nil
    }
}

import ByteReading
import CLibDwarf

/// The ends of the tables of `.debug_abbrev`, and a copy of the section that libdwarf accepts.
///
/// libdwarf 20210528 refuses a unit that is not of version 4 and has `DW_AT_GNU_dwo_id`, as Swift
/// writes them with `-dwarf-version=5`. In ``section`` that attribute has another number.
struct LibDwarfAbbreviations {
    /// The section for libdwarf.
    let section: FileBytes
    private var sizes: [UInt64: UInt64] = [:]
    private var failures: [UInt64: DwarfError.Reason] = [:]

    /// `DW_AT_GNU_dwo_id`, and its replacement in ``section``: an unused number of the same length.
    static let dwoID = UInt64(DW_AT_GNU_dwo_id)
    static let renamedDwoID: UInt64 = 0x3ffe
    /// Forms of three bytes, which libdwarf 20210528 reads as four, so that later entries are
    /// wrong.
    private static let misreadForms = [UInt64(DW_FORM_strx3), UInt64(DW_FORM_addrx3)]
    private static let renamedBytes: [UInt8] = [0xfe, 0x7f]

    init(_ original: FileBytes, units: [UnitHeader], budget: WorkBudget) throws(DwarfError) {
        var renamed: Set<UInt64> = []
        for unit in units {
            if sizes[unit.abbreviations] != nil || failures[unit.abbreviations] != nil { continue }
            let cost: UInt64
            do throws(ReadingError) {
                let table = try Self.scan(original, at: unit.abbreviations)
                sizes[unit.abbreviations] = table.size
                renamed.formUnion(table.dwoIDs)
                cost = table.size
            } catch {
                failures[unit.abbreviations] = .reading(error)
                cost = error.offset - min(error.offset, unit.abbreviations)
            }
            do { try budget.spend(cost) } catch {
                throw DwarfError(.workBudget, unit: unit.offset)
            }
        }
        section = Self.rename(renamed, in: original)
    }

    /// Returns the size of the table of `unit` in bytes.
    func size(for unit: UnitHeader) throws(DwarfError) -> UInt64 {
        if let size = sizes[unit.abbreviations] { return size }
        let reason = failures[unit.abbreviations] ?? .malformed("abbreviations are missing")
        throw DwarfError(reason, unit: unit.offset)
    }

    /// Scans a table and records the positions of `DW_AT_GNU_dwo_id`.
    private static func scan(
        _ section: FileBytes, at start: UInt64
    ) throws(ReadingError) -> (size: UInt64, dwoIDs: [UInt64]) {
        var found: [UInt64] = []
        var table = try AbbreviationCursor(section, at: start)
        while try table.nextEntry() != nil {
            while let attribute = try table.nextAttribute() {
                // Only a number of the usual two bytes can be replaced by another of two bytes.
                if attribute.name == dwoID, attribute.nameSize == 2 {
                    found.append(attribute.offset)
                }
                if misreadForms.contains(attribute.form) {
                    throw ReadingError(
                        .malformed("unsupported form 0x\(String(attribute.form, radix: 16))"),
                        in: section.subject, at: attribute.offset)
                }
            }
        }
        return (table.offset - start, found)
    }

    private static func rename(_ offsets: Set<UInt64>, in original: FileBytes) -> FileBytes {
        if offsets.isEmpty { return original }
        return unsafe FileBytes(count: original.count, subject: original.subject) { copy in
            unsafe original.withUnsafeBytes { unsafe copy.copyMemory(from: $0) }
            for offset in offsets {
                for (index, byte) in renamedBytes.enumerated() {
                    unsafe copy[Int(offset) + index] = byte
                }
            }
        }
    }
}

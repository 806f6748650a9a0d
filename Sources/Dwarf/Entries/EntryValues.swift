import CLibDwarf

/// The requested attributes of one entry: a form and a number each.
///
/// The meaning of a number depends on the form. The methods return `nil` if an attribute is missing
/// or has an unsuitable form. One value of this type is reused for all entries.
struct EntryValues {
    /// The stored attributes.
    enum Slot: UInt8, CaseIterable {
        case lowPC, highPC, ranges, entryPC
        case callFile, callLine, callColumn
        case name, linkageName, abstractOrigin, specification
        case producer, compilationFolder, lineTable
        case addressBase, stringOffsetsBase, rangeListsBase, rangesBase
        case otherFileName, otherFileID

        /// - Parameters:
        ///   - attribute: A `DW_AT_` number.
        ///   - subject: The kind of the entry.
        init?(_ attribute: UInt64, of subject: EntrySubject) {
            guard let attribute = Int32(exactly: attribute) else { return nil }
            switch attribute {
            case DW_AT_low_pc: self = .lowPC
            case DW_AT_high_pc: self = .highPC
            case DW_AT_ranges: self = .ranges
            default:
                let slot = subject == .unit ? Self.ofUnit(attribute) : Self.ofFunction(attribute)
                guard let slot else { return nil }
                self = slot
            }
        }

        private static func ofFunction(_ attribute: Int32) -> Self? {
            switch attribute {
            case DW_AT_call_file: .callFile
            case DW_AT_call_line: .callLine
            case DW_AT_call_column: .callColumn
            case DW_AT_name: .name
            case DW_AT_linkage_name, DW_AT_MIPS_linkage_name: .linkageName
            case DW_AT_abstract_origin: .abstractOrigin
            case DW_AT_specification: .specification
            default: nil
            }
        }

        private static func ofUnit(_ attribute: Int32) -> Self? {
            switch attribute {
            case DW_AT_entry_pc: .entryPC
            case DW_AT_producer: .producer
            case DW_AT_comp_dir: .compilationFolder
            case DW_AT_stmt_list: .lineTable
            case DW_AT_addr_base, DW_AT_GNU_addr_base: .addressBase
            case DW_AT_str_offsets_base: .stringOffsetsBase
            case DW_AT_rnglists_base: .rangeListsBase
            case DW_AT_GNU_ranges_base: .rangesBase
            case DW_AT_dwo_name, DW_AT_GNU_dwo_name: .otherFileName
            case DW_AT_dwo_id, DW_AT_GNU_dwo_id: .otherFileID
            default: nil
            }
        }
    }

    /// The offset of the entry's unit in `.debug_info`.
    var unitOffset: UInt64 = 0
    /// The error of the first attribute that could not be read.
    var fault: DwarfError?
    /// A bit for each filled slot.
    private var present: UInt32 = 0
    private var forms = InlineArray<20, UInt16>(repeating: 0)
    private var numbers = InlineArray<20, UInt64>(repeating: 0)

    /// Empties all slots.
    @inline(__always)
    mutating func removeAll(inUnitAt offset: UInt64) {
        present = 0
        unitOffset = offset
        if fault != nil { fault = nil }
    }

    /// Stores a value. If an entry has an attribute twice, the last one counts.
    @inline(__always)
    mutating func set(_ slot: Slot, form: UInt16, number: UInt64) {
        let index = Int(slot.rawValue)
        present |= 1 &<< UInt32(slot.rawValue)
        forms[index] = form
        numbers[index] = number
    }

    @inline(__always)
    func has(_ slot: Slot) -> Bool { present & 1 &<< UInt32(slot.rawValue) != 0 }

    /// Returns the `DW_FORM_` number, with `DW_FORM_indirect` resolved, or 0 if the slot is empty.
    @inline(__always)
    private func form(_ slot: Slot) -> Int32 {
        has(slot) ? Int32(forms[Int(slot.rawValue)]) : 0
    }

    @inline(__always)
    private func number(_ slot: Slot) -> UInt64 { numbers[Int(slot.rawValue)] }
}

extension EntryValues {
    /// Returns a non-negative number.
    @inline(__always)
    func unsigned(_ slot: Slot) -> UInt64? {
        switch form(slot) {
        case DW_FORM_data1, DW_FORM_data2, DW_FORM_data4, DW_FORM_data8, DW_FORM_udata,
            DW_FORM_rnglistx:
            number(slot)
        case DW_FORM_implicit_const, DW_FORM_sdata:
            UInt64(exactly: Int64(bitPattern: number(slot)))
        default: nil
        }
    }

    /// Returns an address, or its index in `.debug_addr`.
    @inline(__always)
    func address(_ slot: Slot) -> AddressValue? {
        switch form(slot) {
        case DW_FORM_addr: .direct(number(slot))
        case DW_FORM_addrx, DW_FORM_addrx1, DW_FORM_addrx2, DW_FORM_addrx3, DW_FORM_addrx4,
            DW_FORM_GNU_addr_index:
            .indexed(number(slot))
        case FormShape.addressOffsetForm: .relative(AddressOffset(bits: number(slot)))
        default: nil
        }
    }

    /// Whether the value is an expression that is not read as an address.
    func isExpression(_ slot: Slot) -> Bool { form(slot) == DW_FORM_exprloc }

    var unknownExpression: DwarfError {
        DwarfError(.malformed("an address is an unknown expression"), unit: unitOffset)
    }

    /// Returns an offset into another section. Before version 4 it had the form of a number.
    @inline(__always)
    func sectionOffset(_ slot: Slot) -> UInt64? {
        switch form(slot) {
        case DW_FORM_sec_offset, DW_FORM_data4, DW_FORM_data8: number(slot)
        default: nil
        }
    }

    /// Returns the referenced entry, by its offset in `.debug_info`.
    ///
    /// The entry may be in the supplementary file, at an offset in its `.debug_info`.
    @inline(__always)
    func reference(_ slot: Slot) -> EntryReference? {
        switch form(slot) {
        case DW_FORM_ref1, DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8, DW_FORM_ref_udata:
            .entry(number(slot) &+ unitOffset)
        case DW_FORM_ref_addr: .entry(number(slot))
        case DW_FORM_GNU_ref_alt, DW_FORM_ref_sup4, DW_FORM_ref_sup8:
            .supplementary(number(slot))
        default: nil
        }
    }

    /// Returns a string, or its index in `.debug_str_offsets`.
    @inline(__always)
    func text(_ slot: Slot) -> TextValue? {
        switch form(slot) {
        case DW_FORM_strp: .direct(.str, at: number(slot))
        case DW_FORM_line_strp: .direct(.lineStr, at: number(slot))
        case DW_FORM_string: .direct(.info, at: number(slot))
        case DW_FORM_strx, DW_FORM_strx1, DW_FORM_strx2, DW_FORM_strx3, DW_FORM_strx4,
            DW_FORM_GNU_str_index:
            .indexed(number(slot))
        case DW_FORM_GNU_strp_alt, DW_FORM_strp_sup: .supplementary(at: number(slot))
        default: nil
        }
    }

    /// Whether the value is in a supplementary file.
    func isInSupplementaryFile(_ slot: Slot) -> Bool {
        switch form(slot) {
        case DW_FORM_GNU_ref_alt, DW_FORM_GNU_strp_alt, DW_FORM_strp_sup, DW_FORM_ref_sup4,
            DW_FORM_ref_sup8:
            true
        default: false
        }
    }

    /// Whether the range list is given by its index.
    var rangesAreIndexed: Bool { form(.ranges) == DW_FORM_rnglistx }
}

/// The kind of an entry with requested attributes.
enum EntrySubject {
    case unit, function

    /// - Parameter tag: A `DW_TAG_` number.
    /// - Returns: The kind, or `nil` for types, variables and other entries without requested
    ///   attributes.
    init?(tag: UInt16) {
        switch Int32(tag) {
        case DW_TAG_compile_unit, DW_TAG_partial_unit, DW_TAG_type_unit, DW_TAG_skeleton_unit:
            self = .unit
        case DW_TAG_subprogram, DW_TAG_inlined_subroutine, DW_TAG_entry_point: self = .function
        default: return nil
        }
    }
}

/// An address in an attribute.
enum AddressValue: Hashable {
    case direct(UInt64)
    /// An index into the unit's part of `.debug_addr`.
    case indexed(UInt64)
    case relative(AddressOffset)
}

/// An offset from an address in `.debug_addr`.
struct AddressOffset: Hashable {
    let index: UInt32
    let offset: UInt32

    /// The number in an attribute's slot: the index in the upper half, the offset in the lower.
    var bits: UInt64 { UInt64(index) << 32 | UInt64(offset) }

    init(index: UInt32, offset: UInt32) {
        self.index = index
        self.offset = offset
    }

    init(bits: UInt64) {
        self.init(
            index: UInt32(truncatingIfNeeded: bits >> 32), offset: UInt32(truncatingIfNeeded: bits))
    }
}

/// A reference to an entry, by its offset in `.debug_info`.
enum EntryReference: Hashable {
    case entry(UInt64)
    /// An entry of the supplementary file.
    case supplementary(UInt64)
}

/// A string in an attribute.
enum TextValue {
    /// A zero-terminated string in a section.
    case direct(DwarfSections.Name, at: UInt64)
    /// A zero-terminated string in `.debug_str` of the supplementary file.
    case supplementary(at: UInt64)
    /// An index into the unit's part of `.debug_str_offsets`.
    case indexed(UInt64)

    /// The maximum length of a string, in bytes.
    static let bytesLimit = 1 << 16
}

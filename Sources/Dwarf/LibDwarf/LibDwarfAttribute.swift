import ByteReading
import CLibDwarf

/// An attribute with its value as libdwarf reads it. Valid inside
/// ``LibDwarfAttributeList/forEach(_:)``.
@safe
struct LibDwarfAttribute {
    let name: Int32
    /// The `DW_FORM_` number, with `DW_FORM_indirect` resolved.
    let form: Int32
    private let raw: Dwarf_Attribute
    private let unit: LibDwarfUnit

    @unsafe
    init(_ raw: Dwarf_Attribute, of unit: LibDwarfUnit) throws(DwarfError) {
        var name: Dwarf_Half = 0
        var form: Dwarf_Half = 0
        var direct: Dwarf_Half = 0
        // These calls cannot fail for an attribute from libdwarf.
        unsafe dwarf_whatattr(raw, &name, nil)
        unsafe dwarf_whatform(raw, &form, nil)
        unsafe dwarf_whatform_direct(raw, &direct, nil)
        unsafe self.raw = raw
        self.unit = unit
        self.name = Int32(name)
        self.form = Int32(form)
        // The constant would be in the abbreviation, but its form is in the entry.
        if Int32(direct) == DW_FORM_indirect,
            [DW_FORM_implicit_const, DW_FORM_indirect].contains(self.form)
        {
            throw unit.malformed("DW_FORM_indirect leads to form 0x\(String(form, radix: 16))")
        }
    }

    /// Returns the slot in ``EntryValues``, or `nil` if the attribute is not requested.
    func slot(of subject: EntrySubject) -> EntryValues.Slot? {
        if subject == .unit, UInt64(name) == LibDwarfAbbreviations.renamedDwoID {
            return .otherFileID
        }
        return EntryValues.Slot(UInt64(name), of: subject)
    }

    /// Returns the number for ``EntryValues``, or 0 for forms that are not numbers.
    ///
    /// libdwarf refuses `DW_FORM_implicit_const` and negative `DW_FORM_sdata` as unsigned. The
    /// offsets of references into a supplementary file are returned unchanged.
    func value() throws(DwarfError) -> UInt64? {
        switch form {
        case DW_FORM_data1, DW_FORM_data2, DW_FORM_data4, DW_FORM_data8, DW_FORM_udata,
            DW_FORM_rnglistx:
            try unsafe unit.read(UInt64(0)) { unsafe dwarf_formudata(raw, &$0, $1) }
        case DW_FORM_implicit_const, DW_FORM_sdata:
            try unsafe unit.read(Dwarf_Signed(0)) { unsafe dwarf_formsdata(raw, &$0, $1) }
                .map { UInt64(bitPattern: Int64($0)) }
        case DW_FORM_sec_offset, DW_FORM_ref1, DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8,
            DW_FORM_ref_udata, DW_FORM_ref_addr, DW_FORM_GNU_ref_alt, DW_FORM_GNU_strp_alt,
            DW_FORM_strp_sup:
            try unsafe unit.read(UInt64(0)) { unsafe dwarf_global_formref(raw, &$0, $1) }
        case DW_FORM_addr:
            try unsafe unit.read(UInt64(0)) { unsafe dwarf_formaddr(raw, &$0, $1) }
        case DW_FORM_addrx, DW_FORM_addrx1, DW_FORM_addrx2, DW_FORM_addrx3, DW_FORM_addrx4,
            DW_FORM_GNU_addr_index:
            try unsafe unit.read(UInt64(0)) { unsafe dwarf_get_debug_addr_index(raw, &$0, $1) }
        case DW_FORM_string, DW_FORM_strp, DW_FORM_line_strp: textOffset()
        // libdwarf could read indexed strings, but checks their positions with a sum that
        // overflows.
        case DW_FORM_strx, DW_FORM_strx1, DW_FORM_strx2, DW_FORM_strx3, DW_FORM_strx4,
            DW_FORM_GNU_str_index:
            try unsafe unit.read(UInt64(0)) { unsafe dwarf_get_debug_str_index(raw, &$0, $1) }
        // libdwarf cannot read these.
        case DW_FORM_ref_sup4, DW_FORM_ref_sup8: nil
        default: 0
        }
    }

    /// Returns the position of a string, which libdwarf returns as a pointer into the section. An
    /// unreadable string gets a position after any section, so that it is an error only if it is
    /// used.
    private func textOffset() -> UInt64? {
        var text: UnsafeMutablePointer<CChar>?
        do throws(DwarfError) {
            unsafe text =
                try unsafe unit.read(text) { unsafe dwarf_formstring(raw, &$0, $1) } ?? nil
        } catch { return .max }
        guard let text = unsafe text else { return nil }
        let section: DwarfSections.Name =
            switch form {
            case DW_FORM_strp: .str
            case DW_FORM_line_strp: .lineStr
            default: .info
            }
        return unsafe unit.offset(of: UnsafeRawPointer(text), in: section)
    }
}

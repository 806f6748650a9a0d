import CLibDwarf

/// An attribute with its value as libdwarf reads it. Valid inside
/// ``LibDwarfAttributeList/forEach(_:)``.
@safe
struct LibDwarfAttribute: Attribute {
    let name: Int32
    let form: Int32
    private let raw: Dwarf_Attribute
    private let unit: LibDwarfUnit

    @unsafe
    init(_ raw: Dwarf_Attribute, of unit: LibDwarfUnit) throws(DwarfError) {
        var name: Dwarf_Half = 0
        var form: Dwarf_Half = 0
        var direct: Dwarf_Half = 0
        // None of these can fail on an attribute that libdwarf made.
        unsafe dwarf_whatattr(raw, &name, nil)
        unsafe dwarf_whatform(raw, &form, nil)
        unsafe dwarf_whatform_direct(raw, &direct, nil)
        unsafe self.raw = raw
        self.unit = unit
        self.name = Int32(name)
        self.form = Int32(form)
        // The constant would be in the abbreviation, which has said that the form is in the entry.
        if Int32(direct) == DW_FORM_indirect,
            [DW_FORM_implicit_const, DW_FORM_indirect].contains(self.form)
        {
            throw unit.malformed("DW_FORM_indirect leads to form 0x\(String(form, radix: 16))")
        }
    }

    var unitOffset: UInt64 { unit.header.offset }

    func number() throws(DwarfError) -> UInt64? {
        try unsafe unit.read(UInt64(0)) { unsafe dwarf_formudata(raw, &$0, $1) }
    }

    /// libdwarf refuses `DW_FORM_implicit_const` and negative `DW_FORM_sdata` as unsigned.
    func signedNumber() throws(DwarfError) -> Int64? {
        try unsafe unit.read(Dwarf_Signed(0)) { unsafe dwarf_formsdata(raw, &$0, $1) }
            .map { Int64($0) }
    }

    func offset() throws(DwarfError) -> UInt64? {
        try unsafe unit.read(UInt64(0)) { unsafe dwarf_global_formref(raw, &$0, $1) }
    }

    func directAddress() throws(DwarfError) -> UInt64? {
        try unsafe unit.read(UInt64(0)) { unsafe dwarf_formaddr(raw, &$0, $1) }
    }

    func addressIndex() throws(DwarfError) -> UInt64? {
        try unsafe unit.read(UInt64(0)) { unsafe dwarf_get_debug_addr_index(raw, &$0, $1) }
    }

    func directText() throws(DwarfError) -> SectionText? {
        let text = try unsafe unit.read(UnsafeMutablePointer<CChar>?.none) {
            unsafe dwarf_formstring(raw, &$0, $1)
        }
        guard let text = unsafe text ?? nil else { return nil }
        return unsafe SectionText(text)
    }

    /// libdwarf could read indexed texts, but checks their place with a sum that overflows.
    func textIndex() throws(DwarfError) -> UInt64? {
        try unsafe unit.read(UInt64(0)) { unsafe dwarf_get_debug_str_index(raw, &$0, $1) }
    }
}

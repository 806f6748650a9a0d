import ByteReading
import CLibDwarf
private import Glibc

/// One attribute of an entry, with its value as libdwarf reads it. Valid inside
/// ``AttributeList/forEach(_:)``.
@safe
struct Attribute {
    /// `DW_AT_` number.
    let name: Int32
    /// `DW_FORM_` number, behind `DW_FORM_indirect` where there is one.
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

    /// A number that is not negative; `nil` for other forms and negative numbers.
    ///
    /// libdwarf refuses `DW_FORM_implicit_const` and negative `DW_FORM_sdata` as unsigned.
    func unsigned() throws(DwarfError) -> UInt64? {
        switch form {
        case DW_FORM_data1, DW_FORM_data2, DW_FORM_data4, DW_FORM_data8, DW_FORM_udata,
            DW_FORM_rnglistx:
            return try number()
        case DW_FORM_implicit_const, DW_FORM_sdata:
            return try unsafe unit.read(Dwarf_Signed(0)) { unsafe dwarf_formsdata(raw, &$0, $1) }
                .flatMap(UInt64.init(exactly:))
        default: return nil
        }
    }

    /// An address, or the place of one in `.debug_addr`; `nil` for other forms.
    func address() throws(DwarfError) -> AddressValue? {
        switch form {
        case DW_FORM_addr:
            return try unsafe unit.read(UInt64(0)) { unsafe dwarf_formaddr(raw, &$0, $1) }
                .map(AddressValue.direct)
        case DW_FORM_addrx, DW_FORM_addrx1, DW_FORM_addrx2, DW_FORM_addrx3, DW_FORM_addrx4,
            DW_FORM_GNU_addr_index:
            return try unsafe unit.read(UInt64(0)) {
                unsafe dwarf_get_debug_addr_index(raw, &$0, $1)
            }
            .map(AddressValue.indexed)
        default: return nil
        }
    }

    /// An offset into another section; `nil` for other forms. Before version 4 it had the form of
    /// a number.
    func sectionOffset() throws(DwarfError) -> UInt64? {
        switch form {
        case DW_FORM_sec_offset: try offset()
        case DW_FORM_data4, DW_FORM_data8: try number()
        default: nil
        }
    }

    /// The offset in `.debug_info` of the entry referred to; `nil` for other forms.
    ///
    /// `DW_FORM_GNU_ref_alt` counts in another file; libdwarf would return it as one in this.
    func reference() throws(DwarfError) -> UInt64? {
        switch form {
        case DW_FORM_ref1, DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8, DW_FORM_ref_udata:
            guard let offset = try offset() else { return nil }
            return offset.addingReportingOverflow(unit.header.offset).partialValue
        case DW_FORM_ref_addr: return try offset()
        default: return nil
        }
    }

    /// Whether the value is in a supplementary file that is not here.
    var isInSupplementaryFile: Bool {
        switch form {
        case DW_FORM_GNU_ref_alt, DW_FORM_GNU_strp_alt, DW_FORM_strp_sup, DW_FORM_ref_sup4,
            DW_FORM_ref_sup8:
            true
        default: false
        }
    }

    /// A text, or the place of one in `.debug_str_offsets`; `nil` for other forms.
    ///
    /// libdwarf could read indexed texts, but checks their place with a sum that overflows.
    func text() throws(DwarfError) -> TextValue? {
        switch form {
        case DW_FORM_string, DW_FORM_strp, DW_FORM_line_strp:
            let text = try unsafe unit.read(UnsafeMutablePointer<CChar>?.none) {
                unsafe dwarf_formstring(raw, &$0, $1)
            }
            guard let text = unsafe text ?? nil else { return nil }
            return .direct(unsafe SectionText(text))
        case DW_FORM_strx, DW_FORM_strx1, DW_FORM_strx2, DW_FORM_strx3, DW_FORM_strx4,
            DW_FORM_GNU_str_index:
            return try unsafe unit.read(UInt64(0)) {
                unsafe dwarf_get_debug_str_index(raw, &$0, $1)
            }
            .map(TextValue.indexed)
        default: return nil
        }
    }

    private func number() throws(DwarfError) -> UInt64? {
        try unsafe unit.read(UInt64(0)) { unsafe dwarf_formudata(raw, &$0, $1) }
    }

    private func offset() throws(DwarfError) -> UInt64? {
        try unsafe unit.read(UInt64(0)) { unsafe dwarf_global_formref(raw, &$0, $1) }
    }
}

/// An address as an attribute says it.
enum AddressValue: Hashable {
    case direct(UInt64)
    /// An index into the unit's part of `.debug_addr`.
    case indexed(UInt64)
}

/// A text as an attribute says it.
enum TextValue {
    case direct(SectionText)
    /// An index into the unit's part of `.debug_str_offsets`.
    case indexed(UInt64)
}

/// A text inside a section, ended by a zero. Valid as long as the section.
@safe
struct SectionText {
    private let start: UnsafePointer<CChar>
    private let count: Int

    /// The longest text that is taken, in bytes.
    static let limit = 1 << 16

    /// Measures the text at `start`, whose end libdwarf has found inside the section.
    @unsafe
    init(_ start: UnsafePointer<CChar>) {
        unsafe self.start = start
        count = unsafe strlen(start)
    }

    var isEmpty: Bool { count == 0 }
    var isTooLong: Bool { count > Self.limit }

    func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = unsafe UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self)
        return body(unsafe Span(_unsafeStart: bytes, count: count))
    }
}

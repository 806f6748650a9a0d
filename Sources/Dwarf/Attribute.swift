import CLibDwarf
private import Glibc

/// One attribute of an entry. By its form it is one of several things; the methods return `nil` for
/// an attribute of another form than they are about.
protocol Attribute {
    /// `DW_AT_` number.
    var name: Int32 { get }
    /// `DW_FORM_` number, behind `DW_FORM_indirect` where there is one.
    var form: Int32 { get }
    /// Where its unit starts in `.debug_info`.
    var unitOffset: UInt64 { get }

    /// The value of an unsigned form.
    func number() throws(DwarfError) -> UInt64?
    /// The value of a signed form.
    func signedNumber() throws(DwarfError) -> Int64?
    /// The value of a form that is an offset, as it is written.
    func offset() throws(DwarfError) -> UInt64?
    /// The value of `DW_FORM_addr`.
    func directAddress() throws(DwarfError) -> UInt64?
    func addressIndex() throws(DwarfError) -> UInt64?
    func directText() throws(DwarfError) -> SectionText?
    func textIndex() throws(DwarfError) -> UInt64?
}

extension Attribute {
    /// A number that is not negative; `nil` for other forms and negative numbers.
    func unsigned() throws(DwarfError) -> UInt64? {
        switch form {
        case DW_FORM_data1, DW_FORM_data2, DW_FORM_data4, DW_FORM_data8, DW_FORM_udata,
            DW_FORM_rnglistx:
            return try number()
        case DW_FORM_implicit_const, DW_FORM_sdata:
            return try signedNumber().flatMap(UInt64.init(exactly:))
        default: return nil
        }
    }

    /// An address, or the place of one in `.debug_addr`.
    func address() throws(DwarfError) -> AddressValue? {
        switch form {
        case DW_FORM_addr: return try directAddress().map(AddressValue.direct)
        case DW_FORM_addrx, DW_FORM_addrx1, DW_FORM_addrx2, DW_FORM_addrx3, DW_FORM_addrx4,
            DW_FORM_GNU_addr_index:
            return try addressIndex().map(AddressValue.indexed)
        default: return nil
        }
    }

    /// An offset into another section. Before version 4 it had the form of a number.
    func sectionOffset() throws(DwarfError) -> UInt64? {
        switch form {
        case DW_FORM_sec_offset: try offset()
        case DW_FORM_data4, DW_FORM_data8: try number()
        default: nil
        }
    }

    /// The offset in `.debug_info` of the entry referred to.
    ///
    /// `DW_FORM_GNU_ref_alt` counts in another file; libdwarf would return it as one in this.
    func reference() throws(DwarfError) -> UInt64? {
        switch form {
        case DW_FORM_ref1, DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8, DW_FORM_ref_udata:
            guard let offset = try offset() else { return nil }
            return offset.addingReportingOverflow(unitOffset).partialValue
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

    /// A text, or the place of one in `.debug_str_offsets`.
    func text() throws(DwarfError) -> TextValue? {
        switch form {
        case DW_FORM_string, DW_FORM_strp, DW_FORM_line_strp:
            return try directText().map(TextValue.direct)
        case DW_FORM_strx, DW_FORM_strx1, DW_FORM_strx2, DW_FORM_strx3, DW_FORM_strx4,
            DW_FORM_GNU_str_index:
            return try textIndex().map(TextValue.indexed)
        default: return nil
        }
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

    /// Measures the text at `start`, whose end was found inside the section, or is further than
    /// ``limit``.
    @unsafe
    init(_ start: UnsafePointer<CChar>) {
        unsafe self.start = start
        count = unsafe strnlen(start, Self.limit + 1)
    }

    /// Text of a known length.
    @unsafe
    init(_ start: UnsafePointer<CChar>, count: Int) {
        unsafe self.start = start
        self.count = count
    }

    var isEmpty: Bool { count == 0 }
    var isTooLong: Bool { count > Self.limit }

    func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = unsafe UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self)
        return body(unsafe Span(_unsafeStart: bytes, count: count))
    }
}

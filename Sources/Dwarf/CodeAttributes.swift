import CLibDwarf

/// The attributes that say where the code of an entry lies (DWARF 5, 2.17).
struct CodeAttributes {
    private(set) var low: AddressValue?
    private var high: CodePlace.HighPC?
    private var ranges: CodePlace?

    /// A list counts for more than a span, whose start then is only what the list counts from.
    var place: CodePlace? {
        if let ranges { return ranges }
        guard let low, let high else { return nil }
        return .span(low: low, high: high)
    }

    /// Takes `DW_AT_low_pc`, `DW_AT_high_pc` or `DW_AT_ranges`.
    mutating func take(_ attribute: borrowing Attribute) throws(DwarfError) {
        switch attribute.name {
        case DW_AT_low_pc: low = try attribute.address()
        case DW_AT_high_pc:
            if let address = try attribute.address() {
                high = .address(address)
            } else {
                high = try attribute.unsigned().map { .length($0) }
            }
        case DW_AT_ranges:
            if attribute.form == DW_FORM_rnglistx {
                ranges = try attribute.unsigned().map { .indexedList($0) }
            } else {
                ranges = try attribute.sectionOffset().map { .list(at: $0) }
            }
        default: break
        }
    }
}

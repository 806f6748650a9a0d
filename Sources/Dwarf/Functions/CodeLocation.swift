/// The location of an entry's code (DWARF 5, 2.17).
enum CodeLocation {
    /// `DW_AT_low_pc` and `DW_AT_high_pc`.
    case span(low: AddressValue, high: HighPC)
    /// `DW_AT_ranges` as an offset into `.debug_ranges` or `.debug_rnglists`.
    case list(at: UInt64)
    /// `DW_AT_ranges` as an index into the offsets of `.debug_rnglists`.
    case indexedList(UInt64)

    /// `DW_AT_high_pc`: the end itself or the length, depending on its form (DWARF 4, 2.17.2).
    enum HighPC {
        case address(AddressValue)
        case length(UInt64)
    }

    /// Returns `nil` for declarations and abstract instances. A list takes precedence over a span,
    /// whose start is then only the base of the list.
    @inline(__always)
    init?(_ values: borrowing EntryValues) {
        if values.rangesAreIndexed, let index = values.unsigned(.ranges) {
            self = .indexedList(index)
        } else if let offset = values.sectionOffset(.ranges) {
            self = .list(at: offset)
        } else if let low = values.address(.lowPC) {
            if let end = values.address(.highPC) {
                self = .span(low: low, high: .address(end))
            } else if let length = values.unsigned(.highPC) {
                self = .span(low: low, high: .length(length))
            } else {
                return nil
            }
        } else {
            return nil
        }
    }
}

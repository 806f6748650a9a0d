/// Where an entry says that its code lies (DWARF 5, 2.17).
enum CodePlace {
    /// `DW_AT_low_pc` and `DW_AT_high_pc`.
    case span(low: AddressValue, high: HighPC)
    /// `DW_AT_ranges` as an offset into `.debug_ranges` or `.debug_rnglists`.
    case list(at: UInt64)
    /// `DW_AT_ranges` as an index into the offsets of `.debug_rnglists`.
    case indexedList(UInt64)

    /// `DW_AT_high_pc`: by its form the end itself or the length (DWARF 4, 2.17.2).
    enum HighPC {
        case address(AddressValue)
        case length(UInt64)
    }

    /// `nil` for declarations and abstract instances. A list counts for more than a span, whose start
    /// then is only what the list counts from.
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

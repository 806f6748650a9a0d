import ByteReading
import CLibDwarf
import CallStacks

/// Where an entry says that its code lies.
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
}

/// The range lists of a unit: `.debug_ranges` before version 5, then `.debug_rnglists`.
struct RangeLists {
    private let ranges: FileBytes
    private let rnglists: FileBytes
    private let bigEndian: Bool
    private let unit: UnitHeader
    private let code: CodeLayout
    private let budget: WorkBudget
    /// What lists count from: the unit's `DW_AT_low_pc`.
    var base: UInt64 = 0
    /// Where the unit's offsets of lists start in `.debug_rnglists`.
    var offsetsBase: UInt64?
    var tables: UnitTables

    init(_ sections: DwarfSections, unit: UnitHeader, code: CodeLayout, budget: WorkBudget) {
        ranges = sections.bytes(.ranges)
        rnglists = sections.bytes(.rnglists)
        bigEndian = sections.isBigEndian
        self.unit = unit
        self.code = code
        self.budget = budget
        tables = UnitTables(sections, unit: unit)
    }

    /// Appends the code at `place`, in the order of the debug information. What is no code of the
    /// image is left out.
    func append(_ place: CodePlace, to found: inout [Range<ImageOffset>]) throws(DwarfError) {
        switch place {
        case .span(let low, let high):
            if let range = try reading({ () throws(ReadingError) in try span(low, high) }) {
                found.append(range)
            }
        case .list(let offset):
            if unit.version >= 5 {
                try appendEntries(at: offset, to: &found)
            } else {
                try appendPairs(at: offset, to: &found)
            }
        case .indexedList(let index):
            let offset = try reading { () throws(ReadingError) in try listOffset(at: index) }
            try appendEntries(at: offset, to: &found)
        }
    }

    private func reading<Result>(
        _ body: () throws(ReadingError) -> Result
    ) throws(DwarfError) -> Result {
        try DwarfError.placing(unit: unit.offset, body)
    }

    private func span(
        _ low: AddressValue, _ high: CodePlace.HighPC
    ) throws(ReadingError) -> Range<ImageOffset>? {
        let start = try tables.address(low)
        switch high {
        case .address(let end): return code.codeRange(from: start, to: try tables.address(end))
        case .length(let length): return range(from: start, count: length)
        }
    }

    /// A range that starts at `start`; `nil` if it runs past the last address.
    private func range(from start: UInt64, count: UInt64) -> Range<ImageOffset>? {
        let (end, overflow) = start.addingReportingOverflow(count)
        guard !overflow, end <= lastAddress else { return nil }
        return code.codeRange(from: start, to: end)
    }

    /// A range that counts from `base`.
    private func range(from first: UInt64, to limit: UInt64, base: UInt64) -> Range<ImageOffset>? {
        let (start, startOverflow) = base.addingReportingOverflow(first)
        let (end, endOverflow) = base.addingReportingOverflow(limit)
        guard !startOverflow, !endOverflow, end <= lastAddress else { return nil }
        return code.codeRange(from: start, to: end)
    }

    private var lastAddress: UInt64 { unit.addressSize == 4 ? 0xffff_ffff : .max }

    /// Where the list of `index` starts: offsets count from their own base.
    private func listOffset(at index: UInt64) throws(ReadingError) -> UInt64 {
        let base = offsetsBase ?? (unit.offsetSize == 8 ? 20 : 12)
        let (distance, tooFar) = index.multipliedReportingOverflow(by: UInt64(unit.offsetSize))
        let (place, overflow) = base.addingReportingOverflow(distance)
        guard !tooFar, !overflow else {
            throw ReadingError(.malformed("index is too large"), in: rnglists.subject, at: base)
        }
        var cursor = ByteCursor(rnglists, at: place, bigEndian: bigEndian)
        let offset = try cursor.unsigned(size: unit.offsetSize)
        return base.addingReportingOverflow(offset).partialValue
    }

    /// Reads pairs of addresses (DWARF 4, 2.17.3).
    private func appendPairs(
        at offset: UInt64, to found: inout [Range<ImageOffset>]
    ) throws(DwarfError) {
        var cursor = ByteCursor(ranges, at: offset, bigEndian: bigEndian)
        var base = base
        while true {
            try budget.spend(UInt64(2 * unit.addressSize))
            let (first, limit) = try reading { () throws(ReadingError) in
                (
                    try cursor.unsigned(size: unit.addressSize),
                    try cursor.unsigned(size: unit.addressSize)
                )
            }
            if first == 0, limit == 0 { return }
            if first == lastAddress {
                base = limit
            } else if let range = range(from: first, to: limit, base: base) {
                found.append(range)
            }
        }
    }

    /// Reads entries by their kind (DWARF 5, 2.17.3 and 7.25).
    private func appendEntries(
        at offset: UInt64, to found: inout [Range<ImageOffset>]
    ) throws(DwarfError) {
        var cursor = ByteCursor(rnglists, at: offset, bigEndian: bigEndian)
        var base = base
        var isDone = false
        while !isDone {
            let start = cursor.offset
            let range = try reading { () throws(ReadingError) in
                try nextEntry(from: &cursor, base: &base, isDone: &isDone)
            }
            if let range { found.append(range) }
            try budget.spend(cursor.offset - start)
        }
    }

    private func nextEntry(
        from cursor: inout ByteCursor, base: inout UInt64, isDone: inout Bool
    ) throws(ReadingError) -> Range<ImageOffset>? {
        let kind = Int32(try cursor.number(UInt8.self))
        switch kind {
        case DW_RLE_end_of_list:
            isDone = true
            return nil
        case DW_RLE_base_addressx:
            base = try tables.address(at: cursor.uleb128())
            return nil
        case DW_RLE_startx_endx:
            let start = try tables.address(at: cursor.uleb128())
            return code.codeRange(from: start, to: try tables.address(at: cursor.uleb128()))
        case DW_RLE_startx_length:
            let start = try tables.address(at: cursor.uleb128())
            return range(from: start, count: try cursor.uleb128())
        case DW_RLE_offset_pair:
            let (first, limit) = (try cursor.uleb128(), try cursor.uleb128())
            // The function was dropped: its base is no address.
            if base >= lastAddress - 1 { return nil }
            return range(from: first, to: limit, base: base)
        case DW_RLE_base_address:
            base = try cursor.unsigned(size: unit.addressSize)
            return nil
        case DW_RLE_start_end:
            let start = try cursor.unsigned(size: unit.addressSize)
            return code.codeRange(
                from: start, to: try cursor.unsigned(size: unit.addressSize))
        case DW_RLE_start_length:
            let start = try cursor.unsigned(size: unit.addressSize)
            return range(from: start, count: try cursor.uleb128())
        default:
            throw cursor.error(.malformed("range list entry kind \(kind) is unknown"))
        }
    }
}

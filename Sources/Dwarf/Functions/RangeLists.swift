import ByteReading
import CLibDwarf
import CallStacks

/// The range lists of a unit: `.debug_ranges` before version 5, and `.debug_rnglists` since.
///
/// It is a class with one object per unit, because a value would be copied for each entry.
final class RangeLists {
    private let ranges: FileBytes
    private let rnglists: FileBytes
    private let isBigEndian: Bool
    private let unit: UnitHeader
    private let lastAddress: UInt64
    private let code: CodeLayout
    private let budget: WorkBudget
    /// The base address of lists: the unit's `DW_AT_low_pc`.
    var base: UInt64 = 0
    /// The start of the unit's lists in `.debug_ranges`.
    var pairsBase: UInt64 = 0
    /// The start of the unit's list offsets in `.debug_rnglists`.
    var offsetsBase: UInt64?
    private let tables: UnitTables

    init(
        _ sections: DwarfSections, unit: UnitHeader, tables: UnitTables, code: CodeLayout,
        budget: WorkBudget
    ) {
        ranges = sections.bytes(.ranges)
        rnglists = sections.bytes(.rnglists)
        isBigEndian = sections.isBigEndian
        lastAddress = unit.addressSize == 4 ? 0xffff_ffff : .max
        self.unit = unit
        self.code = code
        self.budget = budget
        self.tables = tables
    }

    /// Appends the code at `location`, in the order of the debug information. Ranges outside the
    /// image's code are skipped.
    func append(_ location: CodeLocation, to found: inout [Range<ImageOffset>]) throws(DwarfError) {
        switch location {
        case .span(.direct(let start), high: .length(let count)):
            if let range = range(from: start, count: count) { found.append(range) }
        case .span(let low, high: let high):
            if let range = try reading({ () throws(ReadingError) in try span(low, high: high) }) {
                found.append(range)
            }
        case .list(let offset):
            if unit.version >= 5 {
                try appendEntries(at: offset, to: &found)
            } else {
                try appendPairs(
                    at: offset.addingReportingOverflow(pairsBase).partialValue, to: &found)
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
        _ low: AddressValue, high: CodeLocation.HighPC
    ) throws(ReadingError) -> Range<ImageOffset>? {
        let start = try tables.address(low)
        switch high {
        case .address(let end): return code.codeRange(from: start, to: try tables.address(end))
        case .length(let length): return range(from: start, count: length)
        }
    }

    /// Returns a range that starts at `start`, or `nil` if it exceeds the last address.
    @inline(__always)
    private func range(from start: UInt64, count: UInt64) -> Range<ImageOffset>? {
        let (end, overflow) = start.addingReportingOverflow(count)
        guard !overflow, end <= lastAddress else { return nil }
        return code.codeRange(from: start, to: end)
    }

    /// Returns a range relative to `base`.
    @inline(__always)
    private func range(from first: UInt64, to limit: UInt64, base: UInt64) -> Range<ImageOffset>? {
        let (start, startOverflow) = base.addingReportingOverflow(first)
        let (end, endOverflow) = base.addingReportingOverflow(limit)
        guard !startOverflow, !endOverflow, end <= lastAddress else { return nil }
        return code.codeRange(from: start, to: end)
    }

    /// Returns the start of the list at `index`. Offsets are relative to their own base.
    private func listOffset(at index: UInt64) throws(ReadingError) -> UInt64 {
        let base = offsetsBase ?? (unit.offsetSize == 8 ? 20 : 12)
        let (distance, tooFar) = index.multipliedReportingOverflow(by: UInt64(unit.offsetSize))
        let (entryOffset, overflow) = base.addingReportingOverflow(distance)
        guard !tooFar, !overflow else {
            throw ReadingError(.malformed("index is too large"), in: rnglists.subject, at: base)
        }
        var cursor = ByteCursor(rnglists, at: entryOffset, bigEndian: isBigEndian)
        let offset = try cursor.unsigned(size: unit.offsetSize)
        return base.addingReportingOverflow(offset).partialValue
    }

    /// Reads pairs of addresses (DWARF 4, 2.17.3).
    private func appendPairs(
        at offset: UInt64, to found: inout [Range<ImageOffset>]
    ) throws(DwarfError) {
        var (bytes, position) = try start(at: offset, in: ranges)
        let size = unit.addressSize
        var base = base
        defer { withExtendedLifetime(ranges) {} }
        while true {
            guard let first = bytes.number(size: size, at: &position),
                let limit = bytes.number(size: size, at: &position)
            else { throw leaves(ranges, at: position) }
            try budget.spend(UInt64(2 * size))
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
        var (bytes, position) = try start(at: offset, in: rnglists)
        var base = base
        defer { withExtendedLifetime(rnglists) {} }
        while let kind = bytes.byte(at: &position) {
            let entry = position
            if Int32(kind) == DW_RLE_end_of_list { return }
            let (isRead, range) = try entryRange(
                Int32(kind), bytes: bytes, at: &position, base: &base)
            guard isRead else { throw leaves(rnglists, at: entry) }
            if let range { found.append(range) }
            try budget.spend(UInt64(position - entry + 1))
        }
        throw leaves(rnglists, at: position)
    }

    /// Returns the code of an entry after its kind, or `nil` if it has none, and whether it was
    /// read.
    @inline(__always)
    private func entryRange(
        _ kind: Int32, bytes: MappedBytes, at position: inout Int, base: inout UInt64
    ) throws(DwarfError) -> (isRead: Bool, Range<ImageOffset>?) {
        switch kind {
        case DW_RLE_offset_pair:
            guard let first = bytes.uleb128(at: &position),
                let limit = bytes.uleb128(at: &position)
            else { return (false, nil) }
            // The linker dropped the function, so its base is not an address.
            if base >= lastAddress - 1 { return (true, nil) }
            return (true, range(from: first, to: limit, base: base))
        case DW_RLE_base_address:
            guard let address = bytes.number(size: unit.addressSize, at: &position)
            else { return (false, nil) }
            base = address
            return (true, nil)
        case DW_RLE_start_end:
            guard let start = bytes.number(size: unit.addressSize, at: &position),
                let end = bytes.number(size: unit.addressSize, at: &position)
            else { return (false, nil) }
            return (true, code.codeRange(from: start, to: end))
        case DW_RLE_start_length:
            guard let start = bytes.number(size: unit.addressSize, at: &position),
                let length = bytes.uleb128(at: &position)
            else { return (false, nil) }
            return (true, range(from: start, count: length))
        default: return try indexedRange(kind, bytes: bytes, at: &position, base: &base)
        }
    }

    /// Reads an entry of a kind whose addresses are in `.debug_addr`.
    private func indexedRange(
        _ kind: Int32, bytes: MappedBytes, at position: inout Int, base: inout UInt64
    ) throws(DwarfError) -> (isRead: Bool, Range<ImageOffset>?) {
        guard [DW_RLE_base_addressx, DW_RLE_startx_endx, DW_RLE_startx_length].contains(kind) else {
            throw DwarfError(
                .reading(
                    ReadingError(
                        .malformed("range list entry kind \(kind) is unknown"),
                        in: rnglists.subject, at: UInt64(position))), unit: unit.offset)
        }
        guard let index = bytes.uleb128(at: &position) else { return (false, nil) }
        let start = try reading { () throws(ReadingError) in try tables.address(at: index) }
        if kind == DW_RLE_base_addressx {
            base = start
            return (true, nil)
        }
        guard let second = bytes.uleb128(at: &position) else { return (false, nil) }
        if kind == DW_RLE_startx_length { return (true, range(from: start, count: second)) }
        let end = try reading { () throws(ReadingError) in try tables.address(at: second) }
        return (true, code.codeRange(from: start, to: end))
    }

    private func start(
        at offset: UInt64, in section: FileBytes
    ) throws(DwarfError) -> (bytes: MappedBytes, position: Int) {
        try reading { () throws(ReadingError) in try section.check(0, at: offset) }
        let bytes = unsafe MappedBytes(
            section, end: UInt64(section.count), isBigEndian: isBigEndian)
        return (bytes, Int(offset))
    }

    private func leaves(_ section: FileBytes, at position: Int) -> DwarfError {
        DwarfError(
            .reading(
                ReadingError(
                    .malformed("range list has no end"), in: section.subject,
                    at: UInt64(position))),
            unit: unit.offset)
    }
}

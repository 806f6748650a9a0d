import ByteReading

/// A unit's parts of `.debug_addr` and `.debug_str_offsets`.
///
/// It is a class with one object per unit, because a value would be copied for each string.
final class UnitTables {
    private let addresses: FileBytes
    private let stringOffsets: FileBytes
    private let strings: FileBytes
    private let lineStrings: FileBytes
    private let info: FileBytes
    /// The strings of the supplementary file, or `nil` if it is missing.
    private let supplementaryStrings: FileBytes?
    private let bigEndian: Bool
    private let addressSize: Int
    private let offsetSize: Int
    /// The start of the unit's addresses in `.debug_addr`.
    var addressBase: UInt64
    /// The start of the unit's string offsets in `.debug_str_offsets`.
    var stringOffsetsBase: UInt64

    init(_ sections: DwarfSections, unit: UnitHeader) {
        addresses = sections.bytes(.addr)
        stringOffsets = sections.bytes(.strOffsets)
        strings = sections.bytes(.str)
        lineStrings = sections.bytes(.lineStr)
        info = sections.bytes(.info)
        supplementaryStrings = sections.supplement?.sections.bytes(.str)
        bigEndian = sections.isBigEndian
        addressSize = unit.addressSize
        offsetSize = unit.offsetSize
        // Without an attribute, a unit of version 5 uses the first table, after its header
        // (DWARF 5, 7.26 and 7.27). The extension of version 4 has no header.
        let header: UInt64 = unit.offsetSize == 8 ? 16 : 8
        addressBase = unit.version >= 5 ? header : 0
        stringOffsetsBase = unit.version >= 5 ? header : 0
    }

    func address(_ value: AddressValue) throws(ReadingError) -> UInt64 {
        switch value {
        case .direct(let address): address
        case .indexed(let index): try address(at: index)
        case .relative(let place): try address(at: UInt64(place.index)) &+ UInt64(place.offset)
        }
    }

    func address(at index: UInt64) throws(ReadingError) -> UInt64 {
        let offset = try Self.offset(of: index, size: addressSize, base: addressBase, in: addresses)
        var cursor = ByteCursor(addresses, at: offset, bigEndian: bigEndian)
        return try cursor.unsigned(size: addressSize)
    }

    /// Returns the offset of a string in `.debug_str`.
    func stringOffset(at index: UInt64) throws(ReadingError) -> UInt64 {
        let offset = try Self.offset(
            of: index, size: offsetSize, base: stringOffsetsBase, in: stringOffsets)
        var cursor = ByteCursor(stringOffsets, at: offset, bigEndian: bigEndian)
        return try cursor.unsigned(size: offsetSize)
    }

    /// Calls `body` with a string, or returns `nil` if it is empty or in a supplementary file that
    /// is missing. A string longer than
    /// ``TextValue/bytesLimit`` is an error.
    func withText<Result>(
        _ value: TextValue, _ body: (Span<UInt8>) -> Result
    ) throws(ReadingError) -> Result? {
        switch value {
        case .direct(.info, let offset): try Self.withText(of: info, at: offset, body)
        case .direct(.lineStr, let offset): try Self.withText(of: lineStrings, at: offset, body)
        case .direct(_, let offset): try Self.withText(of: strings, at: offset, body)
        case .supplementary(let offset):
            if let supplementaryStrings {
                try Self.withText(of: supplementaryStrings, at: offset, body)
            } else {
                nil
            }
        case .indexed(let index):
            try Self.withText(of: strings, at: try stringOffset(at: index), body)
        }
    }

    private static func withText<Result>(
        of section: FileBytes, at offset: UInt64, _ body: (Span<UInt8>) -> Result
    ) throws(ReadingError) -> Result? {
        let range = try section.textRange(at: offset, limit: TextValue.bytesLimit)
        return range.isEmpty ? nil : section.withSpan(of: range, body)
    }

    func string(_ value: TextValue) throws(ReadingError) -> String? {
        try withText(value) { span in
            unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    private static func offset(
        of index: UInt64, size: Int, base: UInt64, in section: FileBytes
    ) throws(ReadingError) -> UInt64 {
        let (distance, tooFar) = index.multipliedReportingOverflow(by: UInt64(size))
        let (offset, overflow) = base.addingReportingOverflow(distance)
        guard !tooFar, !overflow
        else { throw ReadingError(.malformed("index is too large"), in: section.subject, at: base) }
        return offset
    }
}

import Algorithms
import ByteReading

/// The header of a unit in `.debug_info` (DWARF 5, 7.5.1).
///
/// Headers are not read with libdwarf, which abandons the whole section at the first one it
/// rejects.
struct UnitHeader: Hashable, Sendable {
    /// The offset of the unit in `.debug_info`. References inside the unit are relative to it.
    let offset: UInt64
    /// The distance from `offset` to the next unit, in bytes.
    let size: UInt64
    let version: UInt16
    let kind: UInt8
    let addressSize: Int
    /// 4, or 8 in the 64-bit format.
    let offsetSize: Int
    /// The offset of its abbreviations in `.debug_abbrev`.
    let abbreviations: UInt64
    /// The size of the header: the distance from `offset` to the first entry.
    let headerSize: UInt64
    /// The id that a skeleton and its split unit share, from version 5 on (DWARF 5, 7.5.1.2).
    var splitID: UInt64?

    var end: UInt64 { offset + size }

    /// The offset of the unit's own entry in `.debug_info`.
    var root: UInt64 { offset + headerSize }

    /// The maximum number of zeros that linkers insert between units and after the last entry of
    /// one. More zeros are a hole in the file, which may have contained units and entries.
    static let paddingLimit = 64

    /// Whether the unit describes only types, and therefore contains no function with code.
    var isTypeUnit: Bool { kind == Kind.type || kind == Kind.splitType }

    /// `DW_UT_` numbers.
    enum Kind {
        static let compile: UInt8 = 1
        static let type: UInt8 = 2
        static let skeleton: UInt8 = 4
        static let splitCompile: UInt8 = 5
        static let splitType: UInt8 = 6
        static let all: ClosedRange<UInt8> = 1...6
    }
}

/// The initial length of a unit in any section: its end and the format of its offsets.
struct UnitLength {
    /// 4, or 8 in the 64-bit format.
    let offsetSize: Int
    /// The end of the unit in its section.
    let end: UInt64

    /// Reads the initial length (DWARF 5, 7.4) and checks that the unit is inside its section.
    init(from cursor: inout ByteCursor) throws(ReadingError) {
        let start = cursor.offset
        var length = UInt64(try cursor.number(UInt32.self))
        switch length {
        case 0xffff_ffff:
            offsetSize = 8
            length = try cursor.number(UInt64.self)
        case 0xffff_fff0...:
            throw ReadingError(
                .malformed("reserved unit length"), in: cursor.bytes.subject, at: start)
        default:
            offsetSize = 4
        }
        try cursor.bytes.check(length, at: cursor.offset)
        end = cursor.offset + length
    }
}

extension UnitHeader {
    /// Reads the header of a unit after its length.
    fileprivate init(
        at start: UInt64, length: UnitLength, from cursor: inout ByteCursor
    ) throws(DwarfError) {
        let version = try DwarfError.placing(unit: start) { () throws(ReadingError) in
            try cursor.number(UInt16.self)
        }
        guard (2...5).contains(version) else {
            throw DwarfError(.unitVersion(version), unit: start)
        }
        let fields = try DwarfError.placing(unit: start) { () throws(ReadingError) in
            try Fields(from: &cursor, version: version, offsetSize: length.offsetSize)
        }
        guard Kind.all.contains(fields.kind)
        else { throw DwarfError(.malformed("unit type \(fields.kind) is unknown"), unit: start) }
        guard fields.addressSize == 4 || fields.addressSize == 8
        else { throw DwarfError(.addressSize(fields.addressSize), unit: start) }
        guard cursor.offset < length.end
        else { throw DwarfError(.malformed("unit has no entries"), unit: start) }
        self.init(
            offset: start, size: length.end - start, version: version, kind: fields.kind,
            addressSize: fields.addressSize, offsetSize: length.offsetSize,
            abbreviations: fields.abbreviations, headerSize: cursor.offset - start,
            splitID: fields.splitID)
    }

    /// The fields after the version, in the order of that version.
    private struct Fields {
        let kind: UInt8
        let addressSize: Int
        let abbreviations: UInt64
        private(set) var splitID: UInt64?

        init(
            from cursor: inout ByteCursor, version: UInt16, offsetSize: Int
        ) throws(ReadingError) {
            if version < 5 {
                kind = Kind.compile
                abbreviations = try cursor.unsigned(size: offsetSize)
                addressSize = Int(try cursor.number(UInt8.self))
                return
            }
            kind = try cursor.number(UInt8.self)
            addressSize = Int(try cursor.number(UInt8.self))
            abbreviations = try cursor.unsigned(size: offsetSize)
            switch kind {
            case Kind.skeleton, Kind.splitCompile: splitID = try cursor.number(UInt64.self)
            case Kind.type, Kind.splitType: try cursor.skip(8 + UInt64(offsetSize))
            default: break
            }
        }
    }
}

/// All units of `.debug_info`, found from their headers alone.
struct UnitScan: Sendable {
    /// The readable units, in ascending order.
    private(set) var units: [UnitHeader] = []
    /// The errors of unreadable units: the first ``DwarfSummary/failuresLimit``.
    private(set) var failures: [DwarfError] = []
    /// The number of unreadable units.
    private(set) var failureCount = 0

    /// The maximum number of units in a file.
    static let unitsLimit = 1 << 24

    init(
        _ info: FileBytes, bigEndian: Bool, limit: Int = Self.unitsLimit
    ) throws(DwarfError) {
        var cursor = ByteCursor(info, bigEndian: bigEndian)
        var lastEnd = cursor.offset
        while cursor.remaining >= 4 {
            let start = cursor.offset
            let length = readLength(from: &cursor)
            if length?.end == start + 4 { continue }
            checkPadding(from: lastEnd, to: start)
            guard let length else { return }
            lastEnd = length.end
            guard units.count + failureCount < limit
            else { throw DwarfError(.tooManyUnits(limit: limit)) }
            do {
                units.append(try UnitHeader(at: start, length: length, from: &cursor))
            } catch {
                add(failure: error)
            }
            cursor = ByteCursor(info, at: length.end, bigEndian: bigEndian)
        }
        checkPadding(from: lastEnd, to: cursor.offset)
    }

    /// Records a failure if more zeros follow a unit than linkers insert.
    private mutating func checkPadding(from start: UInt64, to end: UInt64) {
        guard end > start, end - start > UInt64(UnitHeader.paddingLimit) else { return }
        add(
            failure: DwarfError(
                .malformed("\(end - start) zeros in place of units"), unit: start))
    }

    private mutating func add(failure: DwarfError) {
        failureCount += 1
        if failures.count < DwarfSummary.failuresLimit { failures.append(failure) }
    }

    /// Returns the length of the unit at `cursor`, or `nil` if no later unit can be found.
    private mutating func readLength(from cursor: inout ByteCursor) -> UnitLength? {
        let start = cursor.offset
        do {
            return try UnitLength(from: &cursor)
        } catch {
            add(failure: DwarfError(.reading(error), unit: start))
            return nil
        }
    }

    /// Returns the unit that contains the entry at `offset`, or `nil` outside units and in headers.
    func unit(containing offset: UInt64) -> Int? {
        let index = units.partitioningIndex { $0.end > offset }
        return index < units.count && offset >= units[index].root ? index : nil
    }
}

/// Reads numbers and strings one after another, never past the end.
public struct ByteCursor: Sendable {
    public let bytes: FileBytes
    /// The offset from the start of `bytes`.
    @inlinable public var offset: UInt64 { position }
    @usableFromInline var position: UInt64
    public let bigEndian: Bool

    public init(_ bytes: FileBytes, at offset: UInt64 = 0, bigEndian: Bool = false) {
        self.bytes = bytes
        position = offset
        self.bigEndian = bigEndian
    }

    @inlinable public var isAtEnd: Bool { offset >= UInt64(bytes.count) }

    /// The number of bytes left; 0 after a jump past the end.
    public var remaining: UInt64 { isAtEnd ? 0 : UInt64(bytes.count) - offset }

    @inlinable
    public mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type
    ) throws(ReadingError) -> Number {
        let value = try bytes.number(type, at: offset, bigEndian: bigEndian)
        position += UInt64(MemoryLayout<Number>.size)
        return value
    }

    /// Reads an unsigned number of `size` bytes: 1, 2, 3, 4 or 8.
    public mutating func unsigned(size: Int) throws(ReadingError) -> UInt64 {
        switch size {
        case 1: return UInt64(try number(UInt8.self))
        case 2: return UInt64(try number(UInt16.self))
        case 3:
            let parts = (
                UInt64(try number(UInt8.self)), UInt64(try number(UInt8.self)),
                UInt64(try number(UInt8.self))
            )
            return bigEndian
                ? parts.0 << 16 | parts.1 << 8 | parts.2 : parts.2 << 16 | parts.1 << 8 | parts.0
        case 4: return UInt64(try number(UInt32.self))
        case 8: return try number(UInt64.self)
        default: throw error(.malformed("unsupported number size: \(size) bytes"))
        }
    }

    /// Reads an unsigned LEB128 number (DWARF 5, 7.6) of up to ten bytes. Bits beyond the 64th are
    /// ignored.
    @inlinable
    public mutating func uleb128() throws(ReadingError) -> UInt64 {
        let first = try number(UInt8.self)
        // Most numbers have one byte.
        return first < 0x80 ? UInt64(first) : try uleb128(after: first)
    }

    @usableFromInline
    mutating func uleb128(after first: UInt8) throws(ReadingError) -> UInt64 {
        let start = offset - 1
        var value = UInt64(first & 0x7f)
        var shift: UInt64 = 7
        while shift < Self.lebBitsLimit {
            let byte = try number(UInt8.self)
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        throw ReadingError(.numberTooLarge, in: bytes.subject, at: start)
    }

    /// Reads a signed LEB128 number (DWARF 5, 7.6) of up to ten bytes. Bits beyond the 64th are
    /// ignored.
    public mutating func sleb128() throws(ReadingError) -> Int64 {
        let start = offset
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < Self.lebBitsLimit {
            let byte = try number(UInt8.self)
            value |= UInt64(byte & 0x7f) << shift
            shift += 7
            if byte & 0x80 == 0 {
                if shift < 64, byte & 0x40 != 0 { value |= ~UInt64(0) << shift }
                return Int64(bitPattern: value)
            }
        }
        throw ReadingError(.numberTooLarge, in: bytes.subject, at: start)
    }

    /// Reads a zero-terminated string, and skips the zero.
    public mutating func text(limit: Int = 1 << 16) throws(ReadingError) -> String {
        let range = try bytes.textRange(at: offset, limit: limit)
        position = UInt64(range.upperBound) + 1
        return bytes.string(of: range)
    }

    public mutating func skip(_ count: UInt64) throws(ReadingError) {
        try bytes.check(count, at: offset)
        position += count
    }

    /// Moves to an offset, which may be the end but not past it.
    public mutating func jump(to position: UInt64) throws(ReadingError) {
        try bytes.check(0, at: position)
        self.position = position
    }

    /// Returns an error at the current offset.
    public func error(_ reason: ReadingError.Reason) -> ReadingError {
        ReadingError(reason, in: bytes.subject, at: offset)
    }

    /// The maximum length of a LEB128 number in bits, including the bits beyond the 64th.
    private static let lebBitsLimit: UInt64 = 10 * 7
}

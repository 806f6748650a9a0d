import ByteReading

/// The fields of a Protocol Buffers message, read without a schema.
///
/// If the bytes are damaged or truncated, the fields before that position are available. Nested
/// messages are parsed on demand, so nothing recurses.
struct WireMessage: Sequence, IteratorProtocol {
    struct Field {
        var number: UInt64
        var value: Value
    }

    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int
    /// Whether a field could not be read.
    private(set) var isDamaged = false

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    mutating func next() -> Field? {
        guard position < bytes.endIndex, !isDamaged else { return nil }
        guard let tag = number(), tag >> 3 > 0, let value = value(ofKind: tag & 7) else {
            isDamaged = true
            return nil
        }
        return Field(number: tag >> 3, value: value)
    }

    private mutating func value(ofKind kind: UInt64) -> Value? {
        switch kind {
        case 0: number().map(Value.number)
        case 1: fixed(8).map(Value.number)
        case 2: number().flatMap { Int(exactly: $0) }.flatMap { take($0) }.map(Value.bytes)
        case 5: fixed(4).map(Value.number)
        default: nil
        }
    }

    private mutating func number() -> UInt64? {
        bytes.uleb128(at: &position, before: bytes.endIndex)
    }

    private mutating func fixed(_ size: Int) -> UInt64? {
        take(size)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.endIndex - position else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }
}

extension WireMessage {
    /// Returns the numbers of all occurrences of a field.
    func numbers(_ field: UInt64) -> [UInt64] {
        compactMap { found in
            guard found.number == field, case .number(let number) = found.value else { return nil }
            return number
        }
    }

    /// The last number of a field.
    subscript(number field: UInt64) -> UInt64? { numbers(field).last }

    /// The last string of a field, or `nil` if it is empty.
    subscript(text field: UInt64) -> String? {
        messages(field).last.flatMap {
            $0.bytes.isEmpty ? nil : String(decoding: $0.bytes, as: UTF8.self)
        }
    }

    /// Returns all occurrences of a field as messages.
    func messages(_ field: UInt64) -> [WireMessage] {
        compactMap { found in
            guard found.number == field, case .bytes(let bytes) = found.value else { return nil }
            return WireMessage(bytes)
        }
    }

    /// The bytes of a field's last occurrence.
    subscript(bytes field: UInt64) -> [UInt8]? { messages(field).last.map { Array($0.bytes) } }

    /// Whether the message is damaged, not counting nested messages.
    var isBroken: Bool {
        var reader = self
        while reader.next() != nil {}
        return reader.isDamaged
    }
}

/// The attributes of a message as protobuf, with changes to them.
///
/// Only what is read becomes values. Changes are encoded into a buffer of their own, and the
/// received bytes stay unchanged.
package struct EncodedAttributes: Sendable {
    /// A range of the received bytes, or of those written since.
    private struct Piece {
        var isWritten = false
        var range: Range<Int>
    }

    private struct Attribute {
        /// The received field, or `nil` for an appended attribute.
        var received: Range<Int>?
        let key: Piece
        /// The content of its `AnyValue`.
        var value: Piece?
        /// The unknown fields after the key and the value.
        var rest = 0..<0
        /// The written field, or `nil` if it is unchanged. A copied value and ``rest`` follow it.
        var written: Range<Int>?
    }

    private let bytes: [UInt8]
    /// The number of the field that contains them.
    private let field: UInt8
    private var attributes: [Attribute] = []
    private var written: [UInt8] = []
    /// The received fields that were removed, in order.
    private var removed: [Range<Int>] = []
    /// The position at which attributes are appended.
    private var end: Int

    /// - Parameters:
    ///   - field: The number of the field that contains them.
    ///   - end: The position at which attributes are appended, if none was received.
    init(of bytes: [UInt8], field: UInt8, end: Int) {
        self.bytes = bytes
        self.field = field
        self.end = end
    }

    /// Adds a received attribute.
    ///
    /// - Returns: Whether it has the form that the library writes: all fields are known, and none
    ///   occurs twice.
    mutating func add(_ field: ProtobufFields.Field) -> Bool {
        var key: Range<Int>?
        var value: Range<Int>?
        var isUsual = true
        var end = field.contentOrEmpty.lowerBound
        var parts = ProtobufFields(bytes, in: field.contentOrEmpty)
        while let part = parts.next() {
            switch (part.number, part.wireType) {
            case (1, 2):
                if key != nil { isUsual = false }
                key = part.content
                end = part.whole.upperBound
            case (2, 2):
                if value != nil { isUsual = false }
                value = part.content
                end = part.whole.upperBound
            default: isUsual = false
            }
        }
        attributes.append(
            Attribute(
                received: field.whole, key: Piece(range: key ?? end..<end),
                value: value.map { Piece(range: $0) }, rest: end..<field.whole.upperBound))
        self.end = field.whole.upperBound
        return isUsual && !parts.isMalformed && value.map(hasAtMostOneField) != false
    }

    private func hasAtMostOneField(_ value: Range<Int>) -> Bool {
        var fields = ProtobufFields(bytes, in: value)
        guard let first = fields.next() else { return !fields.isMalformed }
        return first.whole.upperBound == value.upperBound
    }
}

extension EncodedAttributes {
    package var count: Int { attributes.count }

    /// Returns the value of the first attribute with a key, or `nil` if there is none or it has no
    /// value.
    package func value(of key: String) -> AttributeValue? {
        position(of: key).flatMap { value(at: $0) }
    }

    /// Returns a string value, or `nil` if it is missing or empty.
    package func text(of key: String) -> String? {
        guard case .string(let text) = value(of: key), !text.isEmpty else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    package func containsKey(withPrefix prefix: String) -> Bool {
        attributes.contains { $0.key.range.count >= prefix.utf8.count && has($0.key, prefix) }
    }

    /// Calls `body` with each attribute, in order.
    package func forEach(_ body: (_ key: String, _ value: AttributeValue?) -> Void) {
        for position in attributes.indices {
            let key = attributes[position].key
            let text = key.isWritten ? written[key.range] : bytes[key.range]
            body(String(decoding: text, as: UTF8.self), value(at: position))
        }
    }

    private func value(at position: Int) -> AttributeValue? {
        guard let value = attributes[position].value else { return nil }
        return AttributeValue(value.isWritten ? written : bytes, in: value.range)
    }

    private func position(of key: String) -> Int? {
        attributes.indices.first {
            attributes[$0].key.range.count == key.utf8.count && has(attributes[$0].key, key)
        }
    }

    /// Whether a key that is long enough starts with a text.
    private func has(_ key: Piece, _ start: String) -> Bool {
        let wanted = start.utf8.span
        let text = key.isWritten ? written.span : bytes.span
        for step in wanted.indices where text[key.range.lowerBound + step] != wanted[step] {
            return false
        }
        return true
    }
}

extension EncodedAttributes {
    package mutating func set(_ key: String, _ text: String) {
        let count = text.utf8.count
        write(key, valueCount: fieldSize(count: count)) { bytes in
            bytes.appendHead(field: 1, count: count)
            bytes += text.utf8
        }
    }

    package mutating func set(_ key: String, _ number: Int64) {
        let bits = UInt64(bitPattern: number)
        write(key, valueCount: 1 + varintSize(bits)) { bytes in
            bytes.append(3 << 3)
            bytes.appendVarint(bits)
        }
    }

    package mutating func set(_ key: String, _ isTrue: Bool) {
        write(key, valueCount: 2) { bytes in
            bytes.append(2 << 3)
            bytes.append(isTrue ? 1 : 0)
        }
    }

    package mutating func set(_ key: String, _ texts: [String]) {
        let values = texts.map { fieldSize(count: $0.utf8.count) }
        let listCount = values.reduce(0) { $0 + fieldSize(count: $1) }
        write(key, valueCount: fieldSize(count: listCount)) { bytes in
            bytes.appendHead(field: 5, count: listCount)
            for (text, count) in zip(texts, values) {
                bytes.appendHead(field: 1, count: count)
                bytes.appendHead(field: 1, count: text.utf8.count)
                bytes += text.utf8
            }
        }
    }

    /// Sets a string value, unless the attribute has a value.
    package mutating func setIfAbsent(_ key: String, _ text: String) {
        if value(of: key) == nil { set(key, text) }
    }

    /// Sets the value of an attribute to that of another one, or removes the attribute if the other
    /// one has no value.
    package mutating func copyValue(of source: String, to key: String) {
        guard let position = position(of: source), value(at: position) != nil,
            let value = attributes[position].value
        else { return remove(key) }
        guard value.isWritten else {
            return write(key, valueCount: value.range.count, copied: value.range) { _ in }
        }
        let copied = written[value.range]
        write(key, valueCount: copied.count) { $0 += copied }
    }

    /// Removes all attributes with a key.
    package mutating func remove(_ key: String) {
        while let position = position(of: key) {
            if let received = attributes.remove(at: position).received { removed.append(received) }
        }
        removed.sort { $0.lowerBound < $1.lowerBound }
    }

    /// Replaces the value of the first attribute with a key, or appends an attribute.
    ///
    /// - Parameters:
    ///   - count: The size of the `AnyValue`.
    ///   - copied: The received bytes of the value, if `body` does not write it.
    private mutating func write(
        _ key: String, valueCount count: Int, copied: Range<Int>? = nil,
        _ body: (inout [UInt8]) -> Void
    ) {
        let start = written.count
        let keyCount = key.utf8.count
        let position = position(of: key)
        let restCount = position.map { attributes[$0].rest.count } ?? 0
        written.appendHead(
            field: field,
            count: (keyCount == 0 ? 0 : fieldSize(count: keyCount)) + fieldSize(count: count)
                + restCount)
        // Like the library, which writes no empty text.
        if keyCount > 0 { written.appendHead(field: 1, count: keyCount) }
        let keyStart = written.count
        written += key.utf8
        written.appendHead(field: 2, count: count)
        let valueStart = written.count
        body(&written)
        let value =
            copied.map { Piece(range: $0) }
            ?? Piece(isWritten: true, range: valueStart..<written.count)
        if let position {
            attributes[position].value = value
            attributes[position].written = start..<written.count
        } else {
            let piece = Piece(isWritten: true, range: keyStart..<keyStart + keyCount)
            attributes.append(Attribute(key: piece, value: value, written: start..<written.count))
        }
    }
}

extension EncodedAttributes {
    /// Returns the bytes of the message that contains them, in pieces.
    ///
    /// - Parameter content: The received bytes of the message.
    func pieces(of content: Range<Int>) -> [ArraySlice<UInt8>] {
        var pieces = Pieces(bytes: bytes, copied: content.lowerBound)
        var removed = removed[...]
        for attribute in attributes where attribute.written != nil {
            let position = attribute.received ?? end..<end
            while let next = removed.first, next.lowerBound < position.lowerBound {
                pieces.skip(next)
                removed = removed.dropFirst()
            }
            pieces.skip(position)
            if let range = attribute.written { pieces.add(written[range]) }
            if let value = attribute.value, !value.isWritten { pieces.add(bytes[value.range]) }
            pieces.add(bytes[attribute.rest])
        }
        for range in removed { pieces.skip(range) }
        pieces.skip(content.upperBound..<content.upperBound)
        return pieces.all
    }

    private struct Pieces {
        let bytes: [UInt8]
        /// The end of the received bytes that are included or skipped.
        var copied: Int
        var all: [ArraySlice<UInt8>] = []

        /// Adds the received bytes before a range, which are not included yet.
        mutating func skip(_ range: Range<Int>) {
            if copied < range.lowerBound { all.append(bytes[copied..<range.lowerBound]) }
            copied = range.upperBound
        }

        mutating func add(_ piece: ArraySlice<UInt8>) {
            if !piece.isEmpty { all.append(piece) }
        }
    }
}

/// The attributes of a message as protobuf, which can be changed.
///
/// Values are decoded only when they are read. Changes are encoded into a separate buffer, and the
/// received bytes stay unchanged.
package struct EncodedAttributes: Sendable {
    /// A range of the received bytes, or of those written since.
    struct Piece {
        var isWritten = false
        var range: Range<Int>
    }

    struct Attribute {
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

    let bytes: [UInt8]
    /// The number of the field that contains them.
    let field: UInt8
    var attributes: [Attribute] = []
    var written: [UInt8] = []
    /// The received fields that were removed, in order.
    var removed: [Range<Int>] = []
    /// The position at which attributes are appended.
    private var end: Int

    /// - Parameters:
    ///   - field: The number of the field that contains them.
    ///   - end: The position at which attributes are appended, if none was received.
    init(of bytes: [UInt8], field: UInt8, end: Int) {
        self.bytes = bytes
        self.field = field
        self.end = end
        attributes.reserveCapacity(Self.usualCount)
    }

    /// The number of attributes for which memory is reserved, enough for most diagnostics.
    private static let usualCount = 32

    /// Adds a received attribute.
    ///
    /// - Returns: Whether the attribute has the form that the library writes: all fields are known,
    ///   and none occurs twice.
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

    func value(at position: Int) -> AttributeValue? {
        guard let value = attributes[position].value else { return nil }
        return AttributeValue(value.isWritten ? written : bytes, in: value.range)
    }

    func position(of key: String) -> Int? {
        attributes.firstIndex { isNamed($0, key) }
    }

    func isNamed(_ attribute: Attribute, _ key: String) -> Bool {
        attribute.key.range.count == key.utf8.count && has(attribute.key, key)
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
    /// Returns the bytes of the message that contains them, in pieces.
    ///
    /// - Parameter content: The received bytes of the message.
    func pieces(of content: Range<Int>) -> [ArraySlice<UInt8>] {
        var pieces = Pieces(bytes: bytes, copied: content.lowerBound)
        // A changed attribute has at most its bytes, its value, its rest, and those before it.
        pieces.all.reserveCapacity(4 * attributes.count { $0.written != nil } + removed.count + 1)
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

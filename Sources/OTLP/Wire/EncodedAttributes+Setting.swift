import ByteReading

extension EncodedAttributes {
    package mutating func set(_ key: String, _ text: String) {
        let count = text.utf8.count
        write(key, valueCount: fieldSize(count: count)) { bytes in
            bytes.appendHead(field: 1, count: count)
            bytes += text.utf8
        }
    }

    /// Sets a string value, which `body` appends to the bytes of the record, so that a long text is
    /// not copied.
    package mutating func set(_ key: String, appending body: (inout [UInt8]) -> Void) {
        let room = Self.headsLimit + key.utf8.count
        written.append(contentsOf: repeatElement(0, count: room))
        let start = written.count
        body(&written)
        // The lengths are known only now. The heads are written so that they end where the text
        // starts.
        let text = start..<written.count
        let valueCount = fieldSize(count: text.count)
        let position = position(of: key)
        var heads: [UInt8] = []
        heads.appendHeads(
            field: field, key: key, valueCount: valueCount, restCount: restCount(at: position))
        let keyEnd = heads.count - headSize(count: valueCount)
        heads.appendHead(field: 1, count: text.count)
        let first = start - heads.count
        written.replaceSubrange(first..<start, with: heads)
        let end = first + keyEnd
        put(
            Piece(isWritten: true, range: end - key.utf8.count..<end),
            value: Piece(isWritten: true, range: text.upperBound - valueCount..<text.upperBound),
            written: first..<text.upperBound, at: position)
    }

    /// The maximum total size of the heads before a text: those of the attribute, the key, the
    /// value and the string, in bytes.
    private static let headsLimit = 4 * 11

    package mutating func set(_ key: String, _ number: Int64) {
        let bits = UInt64(bitPattern: number)
        write(key, valueCount: 1 + varintSize(bits)) { bytes in
            bytes.append(3 << 3)
            bytes.append(uleb128: bits)
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
        guard let first = position(of: key) else { return }
        let rest = attributes[first...]
        let isKept = rest.map { !isNamed($0, key) }
        removed += zip(rest, isKept).compactMap { $1 ? nil : $0.received }
        removed.sort { $0.lowerBound < $1.lowerBound }
        attributes.replaceSubrange(first..., with: zip(rest, isKept).compactMap { $1 ? $0 : nil })
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
        let position = position(of: key)
        written.appendHeads(
            field: field, key: key, valueCount: count, restCount: restCount(at: position))
        let valueStart = written.count
        let keyEnd = valueStart - headSize(count: count)
        body(&written)
        let value =
            copied.map { Piece(range: $0) }
            ?? Piece(isWritten: true, range: valueStart..<written.count)
        put(
            Piece(isWritten: true, range: keyEnd - key.utf8.count..<keyEnd), value: value,
            written: start..<written.count, at: position)
    }

    private func restCount(at position: Int?) -> Int {
        position.map { attributes[$0].rest.count } ?? 0
    }

    /// Replaces the value of an attribute, or appends an attribute.
    private mutating func put(
        _ key: Piece, value: Piece?, written: Range<Int>, at position: Int?
    ) {
        if let position {
            attributes[position].value = value
            attributes[position].written = written
        } else {
            attributes.append(Attribute(key: key, value: value, written: written))
        }
    }
}

extension [UInt8] {
    /// Appends an attribute up to its value: its head, its key, and the head of the value.
    ///
    /// - Parameter restCount: The size of the fields after the value.
    fileprivate mutating func appendHeads(
        field: UInt8, key: String, valueCount: Int, restCount: Int
    ) {
        let keyCount = key.utf8.count
        appendHead(
            field: field,
            count: (keyCount == 0 ? 0 : fieldSize(count: keyCount)) + fieldSize(count: valueCount)
                + restCount)
        // Like the library, which writes no empty text.
        if keyCount > 0 { appendHead(field: 1, count: keyCount) }
        self += key.utf8
        appendHead(field: 2, count: valueCount)
    }
}

/// Parses the XML of a server from bytes in memory, with limits.
///
/// It reads the subset of XML 1.0 that S3 sends: elements, text, CDATA sections, the five
/// predefined entities and character references. A document type declaration is an error, so
/// neither external nor expanding entities are possible. Foundation's `XMLParser` is not used
/// because it links libxml2, a large C library, for a dozen element names.
struct XMLReader {
    /// The maximum nesting depth; S3 needs 5.
    static let depthLimit = 16
    /// The maximum number of elements; a page of 1,000 objects needs 12,000.
    static let elementsLimit = 50_000

    private let bytes: [UInt8]
    private var position = 0
    private var elementCount = 0
    /// The open elements, outermost first, with the bytes of their text.
    private var open: [(element: XMLElement, text: [UInt8])] = []
    private var root: XMLElement?

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a document.
    ///
    /// - Throws: ``XMLError`` if it is malformed, incomplete or beyond a limit.
    static func document(_ bytes: [UInt8]) throws(XMLError) -> XMLElement {
        var reader = XMLReader(bytes)
        reader.skip("\u{feff}")
        while reader.position < bytes.count { try reader.readNext() }
        guard let root = reader.root, reader.open.isEmpty else { throw reader.error("truncated") }
        return root
    }

    /// Reads a tag, a text or a CDATA section. Consumes at least one byte.
    private mutating func readNext() throws(XMLError) {
        if skip("<?") {
            _ = try bytes(upTo: "?>")
        } else if skip("<!--") {
            _ = try bytes(upTo: "-->")
        } else if skip("<![CDATA[") {
            try append(bytes(upTo: "]]>"))
        } else if skip("<!") {
            throw error("document type")
        } else if skip("</") {
            try readEndTag()
        } else if skip("<") {
            try readStartTag()
        } else {
            try readText()
        }
    }

    private mutating func readStartTag() throws(XMLError) {
        let name = try readName()
        elementCount += 1
        guard root == nil else { throw error("second root element") }
        guard open.count < Self.depthLimit else { throw error("nested too deeply") }
        guard elementCount <= Self.elementsLimit else { throw error("too many elements") }
        open.append((XMLElement(name: name), []))
        if try skipAttributes() { try close() }
    }

    /// Skips the rest of a start tag.
    ///
    /// - Returns: Whether the tag is also the end of the element.
    private mutating func skipAttributes() throws(XMLError) -> Bool {
        while let byte = next() {
            switch byte {
            case UInt8(ascii: ">"): return false
            case UInt8(ascii: "/"):
                guard skip(">") else { throw error("malformed tag") }
                return true
            case UInt8(ascii: "\""): _ = try bytes(upTo: "\"")
            case UInt8(ascii: "'"): _ = try bytes(upTo: "'")
            case UInt8(ascii: "<"): throw error("malformed tag")
            default: break
            }
        }
        throw error("truncated")
    }

    private mutating func readEndTag() throws(XMLError) {
        let name = try readName()
        skipSpace()
        guard skip(">"), open.last?.element.name == name else { throw error("malformed end tag") }
        try close()
    }

    /// Closes the innermost open element, and adds it to its parent.
    private mutating func close() throws(XMLError) {
        guard var last = open.popLast() else { throw error("malformed end tag") }
        guard let text = String(validating: last.text, as: UTF8.self) else {
            throw error("not UTF-8")
        }
        last.element.text = text
        if open.isEmpty {
            root = last.element
        } else {
            open[open.count - 1].element.children.append(last.element)
        }
    }

    /// Reads a name, and drops its namespace prefix.
    private mutating func readName() throws(XMLError) -> String {
        let start = position
        while position < bytes.count, Self.isNameByte(bytes[position]) { position += 1 }
        let name = bytes[start..<position].split(separator: UInt8(ascii: ":")).last
        guard let name, !name.isEmpty else { throw error("malformed name") }
        return String(decoding: name, as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3a, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
        default: false
        }
    }

    private mutating func readText() throws(XMLError) {
        var text: [UInt8] = []
        while let byte = peek(), byte != UInt8(ascii: "<") {
            position += 1
            if byte == UInt8(ascii: "&") {
                text += try readReference().utf8
            } else {
                text.append(byte)
            }
        }
        try append(text)
    }

    /// Adds text to the innermost open element. Outside the root, only white space is allowed.
    private mutating func append(_ text: some Sequence<UInt8>) throws(XMLError) {
        if open.isEmpty {
            guard text.allSatisfy(Self.isSpace) else { throw error("text outside the document") }
        } else {
            open[open.count - 1].text += text
        }
    }

    /// Reads an entity or character reference after its `&`.
    private mutating func readReference() throws(XMLError) -> Unicode.Scalar {
        let name = bytes[position...].prefix(Self.referenceLimit + 1).prefix { $0 != 0x3b }
        guard name.count <= Self.referenceLimit, name.endIndex < bytes.endIndex,
            let scalar = Self.scalar(of: String(decoding: name, as: UTF8.self))
        else { throw error("unknown entity") }
        position = name.endIndex + 1
        return scalar
    }

    /// The maximum length of a reference in bytes: that of `#1114111` and `#x10ffff`.
    private static let referenceLimit = 8

    private static func scalar(of name: String) -> Unicode.Scalar? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let isHexadecimal = name.hasPrefix("#x")
            let digits = name.dropFirst(isHexadecimal ? 2 : 1)
            guard digits.first != "+" else { return nil }
            return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
        }
    }
}

extension XMLReader {
    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func next() -> UInt8? {
        defer { position += 1 }
        return peek()
    }

    private mutating func skipSpace() {
        while let byte = peek(), Self.isSpace(byte) { position += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }

    /// Skips a text if it is next.
    @discardableResult
    private mutating func skip(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    /// Skips to the end of a text, and returns the bytes before it.
    private mutating func bytes(upTo end: String) throws(XMLError) -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count {
            if skip(end) { return bytes[start..<position - end.utf8.count] }
            position += 1
        }
        throw error("truncated")
    }

    private func error(_ detail: String) -> XMLError {
        XMLError(detail: detail, offset: min(position, bytes.count))
    }
}

/// The reason why a document cannot be read.
struct XMLError: Error, Hashable, CustomStringConvertible {
    let detail: String
    /// The offset in bytes.
    let offset: Int

    var description: String { "\(detail) at byte \(offset)" }
}

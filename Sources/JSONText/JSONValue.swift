/// A value inside a ``JSONDocument``.
public struct JSONValue: Sendable {
    public enum Kind: Hashable, Sendable {
        case object, array, string, number, bool, null

        init(_ kind: JSONToken.Kind) {
            self =
                switch kind {
                case .objectStart, .objectEnd: .object
                case .arrayStart, .arrayEnd: .array
                case .string, .key: .string
                case .number: .number
                case .true, .false: .bool
                case .null: .null
                }
        }
    }

    public let document: JSONDocument
    let index: Int

    private var node: JSONDocument.Node { document.nodes[index] }

    public var kind: Kind { Kind(node.kind) }

    /// The value's bytes in the document; for a string, those between the quotes.
    public var range: Range<Int> { Int(node.start)..<Int(node.end) }

    /// Whether its end was read. An incomplete container is valid, but may lack elements.
    public var isWhole: Bool { !node.isOpen }

    /// The bytes of its JSON text; for a string, without quotes and not decoded.
    public var rawText: ArraySlice<UInt8> { document.bytes[range] }

    /// The decoded content of a string.
    public var string: String? { kind == .string ? content.text : nil }

    /// The decoded content of a string, in UTF-8.
    public var stringBytes: ArraySlice<UInt8>? { kind == .string ? content.utf8 : nil }

    public var number: JSONNumber? { document.number(at: valueIndex) }

    /// An integer from 0 to 2⁶⁴ − 1, in any notation.
    public var unsigned: UInt64? {
        if case .unsigned(let value)? = number { value } else { nil }
    }

    public var bool: Bool? { document.bool(at: valueIndex) }

    /// The values of an array; empty for other values.
    public var elements: JSONElements {
        JSONElements(document: document, index: index + 1, end: kind == .array ? end : index + 1)
    }

    /// The members of an object in order; empty for other values.
    public var members: JSONMembers {
        JSONMembers(
            JSONElements(
                document: document, index: index + 1, end: kind == .object ? end : index + 1))
    }

    /// The last member with this name. Most programs that read JSON, and the readers of single
    /// members here, use the last of several (RFC 8259, section 4).
    ///
    /// - Complexity: O(*n*) in the number of members.
    public subscript(key: String) -> JSONValue? {
        guard kind == .object else { return nil }
        var found: JSONValue?
        var member = index + 1
        while member + 1 < end {
            if document.text(member, equals: key) {
                found = JSONValue(document: document, index: member + 1)
            }
            member = Int(document.nodes[member + 1].next)
        }
        return found
    }

    var content: JSONStringContent {
        JSONStringContent(bytes: document.bytes, range: range, hasEscapes: node.hasEscapes)
    }

    private var end: Int { Int(node.next) }
}

/// The values of a container, in order.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
    let document: JSONDocument
    var index: Int
    let end: Int

    public mutating func next() -> JSONValue? {
        guard index < end else { return nil }
        defer { index = Int(document.nodes[index].next) }
        return JSONValue(document: document, index: index)
    }
}

/// A name and its value in an object.
public struct JSONMember: Sendable {
    public let value: JSONValue
    /// The name as a string of the document.
    public let name: JSONValue

    init(name: JSONValue, value: JSONValue) {
        self.name = name
        self.value = value
    }

    public var key: String { name.content.text }

    /// Whether ``key`` is `name`. No string is created.
    public func isNamed(_ name: String) -> Bool {
        self.name.document.text(self.name.index, equals: name)
    }
}

/// The members of an object. A key at which the text ends is ignored.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    private var pieces: JSONElements

    init(_ pieces: JSONElements) { self.pieces = pieces }

    public mutating func next() -> JSONMember? {
        guard let key = pieces.next(), let value = pieces.next() else { return nil }
        return JSONMember(name: key, value: value)
    }
}

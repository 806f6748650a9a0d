/// The position of a value in its document. It retains nothing, so copying it costs nothing: in
/// trees of thousands of values, reference counting would cost more than reading.
///
/// A position is valid only for its own document.
public struct JSONValueIndex: Hashable, Sendable {
    let node: Int
}

/// The remaining values of an array or object.
public struct JSONChildCursor: Sendable {
    fileprivate var index: Int
    fileprivate let end: Int
}

extension JSONValue {
    public var valueIndex: JSONValueIndex { JSONValueIndex(node: index) }
}

extension JSONDocument {
    public func value(at index: JSONValueIndex) -> JSONValue {
        JSONValue(document: self, index: index.node)
    }

    public func kind(at index: JSONValueIndex) -> JSONValue.Kind {
        JSONValue.Kind(nodes[index.node].kind)
    }

    /// Whether the end of the value was read, as in ``JSONValue/isWhole``.
    public func isWhole(_ index: JSONValueIndex) -> Bool { !nodes[index.node].isOpen }

    /// Whether the value is not a container, or is an empty one.
    public func isEmpty(_ index: JSONValueIndex) -> Bool {
        Int(nodes[index.node].next) == index.node + 1
    }

    /// Returns the bytes of a value, as in ``JSONValue/range``.
    public func range(of index: JSONValueIndex) -> Range<Int> {
        Int(nodes[index.node].start)..<Int(nodes[index.node].end)
    }

    public func bool(at index: JSONValueIndex) -> Bool? {
        switch nodes[index.node].kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    public func number(at index: JSONValueIndex) -> JSONNumber? {
        guard nodes[index.node].kind == .number else { return nil }
        let range = range(of: index)
        return JSONNumber(plainDigits: bytes, range) ?? JSONNumber(bytes[range])
    }

    /// Whether a value is a string with this content. No string is created.
    public func isString(at index: JSONValueIndex, _ text: String) -> Bool {
        kind(at: index) == .string && self.text(index.node, equals: text)
    }

    /// Whether two values have the same bytes.
    public func isWrittenAlike(_ left: JSONValueIndex, _ right: JSONValueIndex) -> Bool {
        let (left, right) = (range(of: left), range(of: right))
        return left.count == right.count
            && bytes.matches(bytes, at: right.lowerBound, in: left)
    }

    /// Returns the values of an array; empty for other values.
    public func elements(of index: JSONValueIndex) -> JSONChildCursor {
        children(of: index, isWanted: kind(at: index) == .array)
    }

    private func children(of index: JSONValueIndex, isWanted: Bool) -> JSONChildCursor {
        JSONChildCursor(
            index: index.node + 1,
            end: isWanted ? Int(nodes[index.node].next) : index.node + 1)
    }

    /// Returns the next of these values.
    public func next(of cursor: inout JSONChildCursor) -> JSONValueIndex? {
        guard cursor.index < cursor.end else { return nil }
        defer { cursor.index = Int(nodes[cursor.index].next) }
        return JSONValueIndex(node: cursor.index)
    }

    /// Returns the members of an object; empty for other values.
    public func members(of index: JSONValueIndex) -> JSONChildCursor {
        children(of: index, isWanted: kind(at: index) == .object)
    }

    /// Returns the next of these members whose name is one of `names`, with the position of its
    /// name there. A key at which the text ends is ignored.
    public func next(
        of members: inout JSONChildCursor, named names: JSONKeyList
    ) -> (name: Int, value: JSONValueIndex)? {
        while members.index + 1 < members.end {
            let key = members.index
            members.index = Int(nodes[key + 1].next)
            if let name = position(of: key, among: names) {
                return (name, JSONValueIndex(node: key + 1))
            }
        }
        return nil
    }

    private func position(of key: Int, among names: JSONKeyList) -> Int? {
        let range = range(of: JSONValueIndex(node: key))
        guard nodes[key].hasEscapes else { return names.position(of: range, in: bytes) }
        let decoded = JSONStringContent(bytes: bytes, range: range, hasEscapes: true).utf8
        return names.position(of: 0..<decoded.count, in: Array(decoded))
    }
}

/// The position of a value in its document. It retains nothing, so copying it costs nothing: in
/// trees of thousands of values, reference counting would cost more than reading.
///
/// A position is valid only for its own document.
public struct JSONValueIndex: Hashable, Sendable {
    let index: Int
}

/// The remaining values of an array or object.
public struct JSONChildCursor: Sendable {
    fileprivate var index: Int
    fileprivate let end: Int
}

extension JSONValue {
    public var place: JSONValueIndex { JSONValueIndex(index: index) }
}

extension JSONDocument {
    public func value(at place: JSONValueIndex) -> JSONValue {
        JSONValue(document: self, index: place.index)
    }

    public func kind(at place: JSONValueIndex) -> JSONValue.Kind {
        JSONValue.Kind(nodes[place.index].kind)
    }

    /// Whether the end of the value was read, as in ``JSONValue/isWhole``.
    public func isWhole(_ place: JSONValueIndex) -> Bool { !nodes[place.index].isOpen }

    /// Whether the value is not a container, or is an empty one.
    public func isEmpty(_ place: JSONValueIndex) -> Bool {
        Int(nodes[place.index].next) == place.index + 1
    }

    /// Returns the bytes of a value, as in ``JSONValue/range``.
    public func range(of place: JSONValueIndex) -> Range<Int> {
        Int(nodes[place.index].start)..<Int(nodes[place.index].end)
    }

    public func bool(at place: JSONValueIndex) -> Bool? {
        switch nodes[place.index].kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    public func number(at place: JSONValueIndex) -> JSONNumber? {
        guard nodes[place.index].kind == .number else { return nil }
        let range = range(of: place)
        return JSONNumber(plainDigits: bytes, range) ?? JSONNumber(bytes[range])
    }

    /// Whether a value is a string with this content. No string is created.
    public func isString(at place: JSONValueIndex, _ text: String) -> Bool {
        kind(at: place) == .string && self.text(place.index, equals: text)
    }

    /// Whether two values have the same bytes.
    public func isWrittenAlike(_ left: JSONValueIndex, _ right: JSONValueIndex) -> Bool {
        let (left, right) = (range(of: left), range(of: right))
        guard left.count == right.count else { return false }
        for step in 0..<left.count
        where bytes[left.lowerBound + step] != bytes[right.lowerBound + step] {
            return false
        }
        return true
    }

    /// Returns the values of an array; empty for other values.
    public func elements(of place: JSONValueIndex) -> JSONChildCursor {
        let isArray = kind(at: place) == .array
        return JSONChildCursor(
            index: place.index + 1,
            end: isArray ? Int(nodes[place.index].next) : place.index + 1)
    }

    /// Returns the next of these values.
    public func next(of places: inout JSONChildCursor) -> JSONValueIndex? {
        guard places.index < places.end else { return nil }
        defer { places.index = Int(nodes[places.index].next) }
        return JSONValueIndex(index: places.index)
    }

    /// Returns the members of an object; empty for other values.
    public func members(of place: JSONValueIndex) -> JSONChildCursor {
        let isObject = kind(at: place) == .object
        return JSONChildCursor(
            index: place.index + 1,
            end: isObject ? Int(nodes[place.index].next) : place.index + 1)
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
                return (name, JSONValueIndex(index: key + 1))
            }
        }
        return nil
    }

    private func position(of key: Int, among names: JSONKeyList) -> Int? {
        let range = range(of: JSONValueIndex(index: key))
        guard nodes[key].hasEscapes else { return names.position(of: range, in: bytes) }
        let decoded = JSONStringContent(bytes: bytes, range: range, hasEscapes: true).utf8
        return names.position(of: 0..<decoded.count, in: Array(decoded))
    }
}

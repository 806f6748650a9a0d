/// Where a value stands in its document. It holds nothing, so to hand it on costs nothing: for trees
/// of thousands of values, where counting references to the document would cost more than reading.
///
/// A place means something in its own document only.
public struct JSONPlace: Hashable, Sendable {
    let index: Int
}

/// The values that follow one another in an array or object, from the next one on.
public struct JSONPlaces: Sendable {
    fileprivate var index: Int
    fileprivate let end: Int
}

extension JSONValue {
    public var place: JSONPlace { JSONPlace(index: index) }
}

extension JSONDocument {
    public func value(at place: JSONPlace) -> JSONValue {
        JSONValue(document: self, index: place.index)
    }

    public func kind(at place: JSONPlace) -> JSONValue.Kind {
        JSONValue.Kind(nodes[place.index].kind)
    }

    /// Whether the end of the value was read, as in ``JSONValue/isWhole``.
    public func isWhole(_ place: JSONPlace) -> Bool { !nodes[place.index].isOpen }

    /// Whether it is no container, or one that holds nothing.
    public func isEmpty(_ place: JSONPlace) -> Bool {
        Int(nodes[place.index].next) == place.index + 1
    }

    /// The bytes of a value, as in ``JSONValue/range``.
    public func range(of place: JSONPlace) -> Range<Int> {
        Int(nodes[place.index].start)..<Int(nodes[place.index].end)
    }

    public func bool(at place: JSONPlace) -> Bool? {
        switch nodes[place.index].kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    public func number(at place: JSONPlace) -> JSONNumber? {
        guard nodes[place.index].kind == .number else { return nil }
        let range = range(of: place)
        return JSONNumber(plainDigits: bytes, range) ?? JSONNumber(bytes[range])
    }

    /// Whether a value is a string of that content, found without making a string of it.
    public func isString(at place: JSONPlace, _ text: String) -> Bool {
        kind(at: place) == .string && self.text(place.index, equals: text)
    }

    /// Whether two values are written in the same way.
    public func isWrittenAlike(_ left: JSONPlace, _ right: JSONPlace) -> Bool {
        let (left, right) = (range(of: left), range(of: right))
        guard left.count == right.count else { return false }
        for step in 0..<left.count
        where bytes[left.lowerBound + step] != bytes[right.lowerBound + step] {
            return false
        }
        return true
    }

    /// The values of an array, or none.
    public func elements(of place: JSONPlace) -> JSONPlaces {
        let isArray = kind(at: place) == .array
        return JSONPlaces(
            index: place.index + 1,
            end: isArray ? Int(nodes[place.index].next) : place.index + 1)
    }

    /// The next one of these values.
    public func next(of places: inout JSONPlaces) -> JSONPlace? {
        guard places.index < places.end else { return nil }
        defer { places.index = Int(nodes[places.index].next) }
        return JSONPlace(index: places.index)
    }

    /// The members of an object, or none.
    public func members(of place: JSONPlace) -> JSONPlaces {
        let isObject = kind(at: place) == .object
        return JSONPlaces(
            index: place.index + 1,
            end: isObject ? Int(nodes[place.index].next) : place.index + 1)
    }

    /// The next one of these members whose name is one of `names`, with the position of its name
    /// there. A key at which the text broke off is no member.
    public func next(
        of members: inout JSONPlaces, named names: JSONNames
    ) -> (name: Int, value: JSONPlace)? {
        while members.index + 1 < members.end {
            let key = members.index
            members.index = Int(nodes[key + 1].next)
            if let name = position(of: key, among: names) {
                return (name, JSONPlace(index: key + 1))
            }
        }
        return nil
    }

    private func position(of key: Int, among names: JSONNames) -> Int? {
        let range = range(of: JSONPlace(index: key))
        guard nodes[key].hasEscapes else { return names.position(of: range, in: bytes) }
        let decoded = StringContent(bytes: bytes, range: range, hasEscapes: true).utf8
        return names.position(of: 0..<decoded.count, in: Array(decoded))
    }
}

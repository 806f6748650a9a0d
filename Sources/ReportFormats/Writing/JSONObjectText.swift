import CallStacks
import JSONText

/// The style of a JSON object in a file, so that new members match its own.
struct JSONObjectText {
    /// The maximum white space that is copied, in bytes, because each new member repeats it.
    static let spaceLimit = 256

    private let object: JSONValue
    private let bytes: [UInt8]
    /// The white space before each key.
    let gap: [UInt8]
    /// The text between a key and its value.
    let colon: [UInt8]

    /// - Parameter bytes: The file that the object was read from.
    init(_ object: JSONValue, in bytes: [UInt8]) {
        self.object = object
        self.bytes = bytes
        let start = object.range.lowerBound + 1
        gap = Array(bytes[start..<object.range.upperBound].prefix { $0 <= 0x20 }.ifShort)
        let first = object.members.prefix(1).first { _ in true }
        let value = first?.value.quotedRange.lowerBound ?? start
        let before = bytes[start..<value]
        let key = before.lastIndex(of: UInt8(ascii: "\"")).map { $0 + 1 } ?? value
        let isShort = key < value && value - key <= Self.spaceLimit
        colon = isShort ? Array(bytes[key..<value]) : [UInt8(ascii: ":")]
    }

    /// Returns an edit that replaces the value of a key, or `nil` if the key is missing.
    func replacing(_ key: String, by text: [UInt8]) -> Edit? {
        guard let range = object[key]?.quotedRange else { return nil }
        return bytes[range].elementsEqual(text) ? nil : Edit(range, text)
    }

    /// Returns an edit that adds members after the last one.
    func appending(_ members: [(key: String, value: [UInt8])]) -> Edit? {
        guard !members.isEmpty else { return nil }
        var end = object.range.lowerBound + 1
        for member in object.members { end = member.value.quotedRange.upperBound }
        let isFirst = end == object.range.lowerBound + 1
        var text: [UInt8] = []
        for (index, member) in members.enumerated() {
            if index > 0 || !isFirst { text.append(UInt8(ascii: ",")) }
            text += isFirst && index == 0 ? [] : gap
            text += self.member(member.key, value: member.value)
        }
        return Edit(end..<end, text)
    }

    /// Returns an object with the same layout.
    func object(_ members: [(key: String, value: [UInt8])]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += gap + self.member(member.key, value: member.value)
        }
        let close = bytes[..<(object.range.upperBound - 1)]
        text += close.spaceAtEnd
        return text + [UInt8(ascii: "}")]
    }

    private func member(_ key: String, value: [UInt8]) -> [UInt8] {
        Array(json: key) + colon + value
    }
}

extension ArraySlice<UInt8> {
    /// The white space at the end, or nothing if it is too long to repeat.
    var spaceAtEnd: Self { self[(lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? endIndex)...].ifShort }

    fileprivate var ifShort: Self { count <= JSONObjectText.spaceLimit ? self : [] }
}

extension JSONValue {
    /// The value's bytes in the document, with a string's quotes.
    package var quotedRange: Range<Int> {
        kind == .string ? range.lowerBound - 1..<range.upperBound + 1 : range
    }
}

extension [UInt8] {
    /// Writes a string as JSON, with its quotes.
    package init(json text: String) {
        var writer = JSONWriter()
        writer.string(text)
        self = writer.bytes
    }

    /// Writes a number as JSON.
    init(json number: UInt64) { self = Array(String(number).utf8) }
}

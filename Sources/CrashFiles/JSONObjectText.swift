import CallStacks
import JSONText

/// How an object is written in a file, so that members can be put into it that look like its own.
struct JSONObjectText {
    /// The longest white space that is copied, in bytes, because each new member repeats it.
    static let spaceLimit = 256

    private let object: JSONValue
    private let bytes: [UInt8]
    /// What stands before each key.
    let gap: [UInt8]
    /// What stands between a key and its value.
    let colon: [UInt8]

    /// - Parameter bytes: Of the file that the object was read from.
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

    /// A change that puts a value in place of that of a key, or of none.
    func replacing(_ key: String, by text: [UInt8]) -> Edit? {
        guard let range = object[key]?.quotedRange else { return nil }
        return bytes[range].elementsEqual(text) ? nil : Edit(range, text)
    }

    /// A change that adds members behind the last one.
    func appending(_ members: [(key: String, value: [UInt8])]) -> Edit? {
        guard !members.isEmpty else { return nil }
        var end = object.range.lowerBound + 1
        for member in object.members { end = member.value.quotedRange.upperBound }
        let isFirst = end == object.range.lowerBound + 1
        var text: [UInt8] = []
        for (index, member) in members.enumerated() {
            if index > 0 || !isFirst { text.append(UInt8(ascii: ",")) }
            text += isFirst && index == 0 ? [] : gap
            text += self.member(member.key, member.value)
        }
        return Edit(end..<end, text)
    }

    /// An object with the same layout.
    func object(_ members: [(key: String, value: [UInt8])]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += gap + self.member(member.key, member.value)
        }
        let close = bytes[..<(object.range.upperBound - 1)]
        text += close.spaceAtEnd
        return text + [UInt8(ascii: "}")]
    }

    private func member(_ key: String, _ value: [UInt8]) -> [UInt8] {
        Array(json: key) + colon + value
    }
}

extension ArraySlice<UInt8> {
    /// The white space at the end; none where it is too long to be repeated.
    var spaceAtEnd: Self { self[(lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? endIndex)...].ifShort }

    fileprivate var ifShort: Self { count <= JSONObjectText.spaceLimit ? self : [] }
}

extension JSONValue {
    /// Its bytes in the document, with the quotes of a string.
    var quotedRange: Range<Int> {
        kind == .string ? range.lowerBound - 1..<range.upperBound + 1 : range
    }
}

extension [UInt8] {
    /// A string as JSON text, with its quotes.
    init(json text: String) {
        var writer = JSONWriter()
        writer.string(text)
        self = writer.bytes
    }

    /// A number as JSON text.
    init(json number: UInt64) { self = Array(String(number).utf8) }
}

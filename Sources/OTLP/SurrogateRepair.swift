/// Repairs JSON with an unpaired surrogate, which JavaScript writes for a string that was cut
/// inside an emoji: `"\ud83d"`. RFC 8259, section 8.2, allows it and leaves its meaning open; the
/// library rejects the whole text.
enum SurrogateRepair {
    private static let replacement = Array("fffd".utf8)
    /// The length of `\ud83d`.
    private static let escapeLength = 6

    /// Returns JSON with the replacement character U+FFFD in place of unpaired surrogates, or `nil`
    /// if it has none.
    static func repaired(_ json: [UInt8]) -> [UInt8]? {
        var result: [UInt8]?
        var position = 0
        while position < json.count,
            let escape = json[position...].firstIndex(of: UInt8(ascii: "\\"))
        {
            position = escape + 2
            guard let unit = codeUnit(in: json, at: escape) else { continue }
            position = escape + escapeLength
            if isHigh(unit), let next = codeUnit(in: json, at: position), isLow(next) {
                position += escapeLength
            } else if isHigh(unit) || isLow(unit) {
                result = result ?? json
                result?.replaceSubrange(escape + 2..<position, with: replacement)
            }
        }
        return result
    }

    /// Returns the number of an escape such as `\ud83d`, or `nil` if none starts at a position.
    private static func codeUnit(in json: [UInt8], at start: Int) -> UInt16? {
        let text = json[min(start, json.count)...].prefix(escapeLength)
        guard text.count == escapeLength, text.starts(with: "\\u".utf8) else { return nil }
        return UInt16(String(decoding: text.dropFirst(2), as: UTF8.self), radix: 16)
    }

    private static func isHigh(_ unit: UInt16) -> Bool { (0xD800...0xDBFF).contains(unit) }
    private static func isLow(_ unit: UInt16) -> Bool { (0xDC00...0xDFFF).contains(unit) }
}

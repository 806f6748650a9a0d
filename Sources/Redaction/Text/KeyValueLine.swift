import ReportFormats

/// A line `Key:   value` of a text report, or `"key" : value,` of truncated JSON, whose key may
/// mark the value as private.
struct KeyValueLine {
    /// The kind of key, or `nil` if it is not sensitive.
    let key: SensitiveKey?
    /// The range of the value, without its quotes.
    let range: Range<Int>

    /// The maximum length of a key, in bytes.
    private static let keyLimit = 48

    init?(_ line: ArraySlice<UInt8>) {
        let text = line.trimmed
        guard let colon = text.prefix(Self.keyLimit).firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let value = text[(colon + 1)...].trimmed
        let name = text[..<colon].trimmed
        guard !value.isEmpty else { return nil }
        guard name.first == UInt8(ascii: "\""), name.count > 1 else {
            key = SensitiveKey(line: name.text.lowercased())
            range = value.startIndex..<value.endIndex
            return
        }
        key = SensitiveKey(json: name.dropFirst().dropLast().text)
        let end = value.lastIndex { !",\"".utf8.contains($0) }.map { $0 + 1 } ?? value.startIndex
        let start = value.first == UInt8(ascii: "\"") ? value.startIndex + 1 : value.startIndex
        guard start < end else { return nil }
        range = start..<end
    }
}

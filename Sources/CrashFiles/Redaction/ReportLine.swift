/// A line `Key:   value` of a report in text, or `"key" : value,` of JSON that broke off, whose key
/// tells something of its value.
struct ReportLine {
    /// `nil` where the key tells nothing.
    let key: PrivateKey?
    /// Of the value, without quotes around it.
    let range: Range<Int>

    /// A longer key is none, in bytes.
    private static let keyLimit = 48

    init?(_ line: ArraySlice<UInt8>) {
        let text = line.trimmed
        guard let colon = text.prefix(Self.keyLimit).firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let value = text[(colon + 1)...].trimmed
        let name = text[..<colon].trimmed
        guard !value.isEmpty else { return nil }
        guard name.first == UInt8(ascii: "\""), name.count > 1 else {
            key = PrivateKey(line: name.text.lowercased())
            range = value.startIndex..<value.endIndex
            return
        }
        key = PrivateKey(json: name.dropFirst().dropLast().text)
        let end = value.lastIndex { !",\"".utf8.contains($0) }.map { $0 + 1 } ?? value.startIndex
        let start = value.first == UInt8(ascii: "\"") ? value.startIndex + 1 : value.startIndex
        guard start < end else { return nil }
        range = start..<end
    }
}

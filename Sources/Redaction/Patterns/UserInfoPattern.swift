import ReportFormats

/// User names and passwords in URLs (RFC 3986, section 3.2.1):
///
///     postgres://app:8f2e…@db/orders
enum UserInfoPattern: PrivatePattern {
    private static let mark = Array("://".utf8)

    static func edits(in text: ArraySlice<UInt8>) -> [Edit] {
        var edits: [Edit] = []
        var position = text.startIndex
        while let colon = text[position...].firstIndex(of: UInt8(ascii: ":")) {
            position = colon + 1
            guard text[colon...].starts(with: mark) else { continue }
            let start = colon + mark.count
            let authority = text[start...].prefix { !endsAuthority($0) }
            position = authority.endIndex
            guard let sign = authority.lastIndex(of: UInt8(ascii: "@")), sign > start
            else { continue }
            edits.append(.redaction(start..<sign))
        }
        return edits
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "/?#\"'<>\\".utf8.contains(byte)
    }
}

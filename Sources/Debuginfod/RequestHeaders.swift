/// The headers in the file that `DEBUGINFOD_HEADERS_FILE` names, one in a line: `Name: value`.
///
/// They may contain a token, so they are never shown.
enum RequestHeaders {
    /// The maximum number of headers.
    private static let limit = 64

    /// Returns the headers in a text. Lines that are not headers are skipped.
    static func headers(in text: String) -> [(name: String, value: String)] {
        let lines = text.split(whereSeparator: \.isNewline).prefix(limit)
        return lines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = line[..<colon]
            let value = line[colon...].dropFirst().drop(while: \.isWhitespace)
            guard !name.isEmpty, name.utf8.allSatisfy(isNameByte),
                value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 })
            else { return nil }
            return (String(name), String(value))
        }
    }

    /// Whether a byte may be part of a header's name (RFC 9110, 5.6.2).
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

import ReportFormats

/// JSON Web Tokens (RFC 7519), which consist of three parts in base64url: `eyJhbG….eyJzdW….8f2e…`.
enum WebTokenPattern: PrivatePattern {
    /// `{"` in base64url.
    private static let start = Array("eyJ".utf8)

    static func edits(in text: ArraySlice<UInt8>) -> [Edit] {
        var edits: [Edit] = []
        var position = text.startIndex
        while let first = text[position...].firstIndex(where: isOfToken) {
            let run = text[first...].prefix(while: isOfToken)
            position = run.endIndex
            let parts = run.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            if parts.count >= 3, parts[0].starts(with: start), parts[1].starts(with: start) {
                edits.append(.redaction(first..<run.endIndex))
            }
        }
        return edits
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        byte.isWordByte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}

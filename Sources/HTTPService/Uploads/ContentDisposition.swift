/// The name and file name in the headers of a form part (RFC 7578, section 4.2):
/// `Content-Disposition: form-data; name="file"; filename="Shop.app.dSYM.zip"`.
struct ContentDisposition {
    private(set) var name: String?
    private(set) var fileName: String?

    init(headers: some Sequence<UInt8>) {
        let prefix = "content-disposition:"
        let lines = String(decoding: Array(headers), as: UTF8.self).split(
            whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.lowercased().hasPrefix(prefix) }) else { return }
        for (key, value) in HeaderParameters(line.dropFirst(prefix.count)) {
            switch key {
            case "name": name = value
            case "filename": fileName = value
            default: break
            }
        }
    }
}

/// The parameters of a header value (RFC 9110, section 5.6.6): names in lower case, values without
/// quotes.
struct HeaderParameters: Sequence, IteratorProtocol {
    private var rest: Substring

    init(_ value: some StringProtocol) {
        rest = Substring(value)
        skip { $0 != ";" }
    }

    mutating func next() -> (String, String)? {
        skip { $0 == ";" || $0.isWhitespace }
        guard !rest.isEmpty else { return nil }
        let name = take { $0 != "=" && $0 != ";" }.lowercased()
        guard rest.first == "=" else { return (Self.trimmed(name), "") }
        rest.removeFirst()
        skip(while: \.isWhitespace)
        guard rest.first == "\"" else {
            return (Self.trimmed(name), Self.trimmed(String(take { $0 != ";" })))
        }
        return (Self.trimmed(name), quoted())
    }

    /// Reads up to the closing quote. A backslash escapes only a quote or a backslash, because old
    /// browsers send Windows paths unescaped.
    private mutating func quoted() -> String {
        rest.removeFirst()
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            if character == "\\", let next = rest.first, next == "\"" || next == "\\" {
                value.append(rest.removeFirst())
            } else {
                value.append(character)
            }
        }
        skip { $0 != ";" }
        return value
    }

    private mutating func take(while isTaken: (Character) -> Bool) -> Substring {
        let taken = rest.prefix(while: isTaken)
        rest = rest[taken.endIndex...]
        return taken
    }

    private mutating func skip(while isSkipped: (Character) -> Bool) { _ = take(while: isSkipped) }

    private static func trimmed(_ text: String) -> String {
        String(
            text.trimmingPrefix(while: \.isWhitespace).reversed()
                .trimmingPrefix(while: \.isWhitespace).reversed())
    }
}

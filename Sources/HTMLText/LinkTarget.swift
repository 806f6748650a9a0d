/// The target of a link or a form: a path of this site, a fragment of the page, or an `http` or
/// `https` URL of another site. A `javascript:` link cannot be represented.
public struct LinkTarget: Hashable, Sendable {
    public let text: String

    /// A path of this site from its root, with percent-encoded segments and query values.
    ///
    /// - Parameters:
    ///   - segments: The segments of the path. An empty list is the root.
    ///   - query: Names and values; those without a value are omitted.
    public init(
        prefix: String = "", segments: [String], query: [(name: String, value: String?)] = [],
        fragment: String? = nil
    ) {
        var text = prefix
        if segments.isEmpty { text += "/" }
        for segment in segments {
            text += "/"
            text += Self.encoded(segment)
        }
        var separator = "?"
        for (name, value) in query {
            guard let value else { continue }
            text += separator
            text += Self.encoded(name)
            text += "="
            text += Self.encoded(value)
            separator = "&"
        }
        if let fragment { text += "#" + Self.encoded(fragment) }
        self.text = text
    }

    /// A fragment of the same page.
    public init(fragment: String) { text = "#" + Self.encoded(fragment) }

    /// A path of this site as received, with a query, or `nil` if it could lead to another site: it
    /// must start with a single slash, and contain no backslash and nothing but visible ASCII.
    public init?(path: String) {
        guard path.hasPrefix("/"), !path.hasPrefix("//"),
            path.utf8.allSatisfy({ (0x21..<0x7f).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        text = path
    }

    /// A URL of another site, or `nil` if its scheme is not `http` or `https`.
    public init?(external address: String) {
        let lowercased = address.lowercased()
        guard lowercased.hasPrefix("https://") || lowercased.hasPrefix("http://"),
            address.utf8.allSatisfy({ (0x21..<0x7f).contains($0) })
        else { return nil }
        text = address
    }

    /// Percent-encodes every byte that is not unreserved (RFC 3986, section 2.3).
    public static func encoded(_ text: String) -> String {
        // Most names need no encoding, and checking that is fast.
        if text.utf8.allSatisfy(isUnreserved) { return text }
        var encoded: [UInt8] = []
        encoded.reserveCapacity(3 * text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(digits[Int(byte >> 4)])
                encoded.append(digits[Int(byte & 15)])
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

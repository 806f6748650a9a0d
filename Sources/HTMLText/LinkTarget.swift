import PercentEncoding

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
            text += segment.percentEncoded()
        }
        var separator = "?"
        for (name, value) in query {
            guard let value else { continue }
            text += separator
            text += name.percentEncoded()
            text += "="
            text += value.percentEncoded()
            separator = "&"
        }
        if let fragment { text += "#" + fragment.percentEncoded() }
        self.text = text
    }

    /// A fragment of the same page.
    public init(fragment: String) { text = "#" + fragment.percentEncoded() }

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
}

/// Writes HTML piece by piece, and escapes all text.
///
/// Names of elements and attributes are string literals. Texts and values are escaped byte by byte,
/// because a `"` before a combining mark forms one `Character` with it, and must be escaped
/// nevertheless.
public struct HTMLWriter: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// A whole document, from the doctype on.
    public init(document attributes: [HTMLAttribute], content: (inout Self) -> Void) {
        bytes = Array("<!doctype html>\n".utf8)
        element("html", attributes, content: content)
    }

    /// Writes an element with its content.
    public mutating func element(
        _ name: StaticString, _ attributes: [HTMLAttribute] = [], content: (inout Self) -> Void
    ) {
        start(name, attributes)
        content(&self)
        append("</")
        append(name)
        append(">")
    }

    /// Writes an element that contains only text.
    public mutating func element(
        _ name: StaticString, _ attributes: [HTMLAttribute] = [], text: String
    ) {
        element(name, attributes) { $0.text(text) }
    }

    /// Writes an element that never has content, such as `input` or `meta`.
    public mutating func void(_ name: StaticString, _ attributes: [HTMLAttribute] = []) {
        start(name, attributes)
    }

    /// Writes an SVG element without content. Unlike a void element of HTML, it has to be closed.
    public mutating func shape(_ name: StaticString, _ attributes: [HTMLAttribute]) {
        element(name, attributes) { _ in }
    }

    /// Writes text.
    public mutating func text(_ text: String) { append(escaping: text) }

    private mutating func start(_ name: StaticString, _ attributes: [HTMLAttribute]) {
        append("<")
        append(name)
        for attribute in attributes where attribute.value != .absent {
            append(" ")
            bytes.append(contentsOf: attribute.name.utf8)
            guard case .text(let value) = attribute.value else { continue }
            append("=\"")
            append(escaping: value)
            append("\"")
        }
        append(">")
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    private mutating func append(escaping text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\""): append("&quot;")
            case UInt8(ascii: "'"): append("&#39;")
            // NUL is invalid in HTML, both as a character and as a reference.
            case 0: append("\u{fffd}")
            default: bytes.append(byte)
            }
        }
    }
}

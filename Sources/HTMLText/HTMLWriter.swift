/// Writes HTML piece by piece, and escapes all text.
///
/// Names of elements and attributes are string literals. Texts and values are escaped byte by byte,
/// because a `"` before a combining mark forms one `Character` with it, and must be escaped
/// nevertheless.
public struct HTMLWriter: Sendable {
    public private(set) var bytes: [UInt8] = []

    /// The memory for a document of usual size, so that it is not moved while it grows.
    private static let documentCapacity = 1 << 17

    public init() {}

    /// A whole document, from the doctype on.
    public init(document attributes: [HTMLAttribute], content: (inout Self) -> Void) {
        bytes.reserveCapacity(Self.documentCapacity)
        append("<!doctype html>\n")
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
        for attribute in attributes { append(attribute) }
        append(">")
    }

    private mutating func append(_ attribute: HTMLAttribute) {
        if case .absent = attribute.value { return }
        append(" ")
        append(attribute.name.utf8.span)
        guard case .text(let value) = attribute.value else { return }
        append("=\"")
        append(escaping: value)
        append("\"")
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    private mutating func append(escaping text: String) {
        let text = text.utf8.span
        var start = 0
        for index in text.indices {
            guard let escape = Self.escape(for: text[index]) else { continue }
            append(text.extracting(start..<index))
            append(escape)
            start = index + 1
        }
        append(text.extracting(start...))
    }

    private mutating func append(_ plain: Span<UInt8>) {
        unsafe plain.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    private static func escape(for byte: UInt8) -> StaticString? {
        // Most bytes are letters.
        guard byte <= UInt8(ascii: ">") else { return nil }
        return switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        // NUL is invalid in HTML, both as a character and as a reference.
        case 0: "\u{fffd}"
        default: nil
        }
    }
}

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
    @inlinable public mutating func element(
        _ name: StaticString, _ attributes: [HTMLAttribute] = [], content: (inout Self) -> Void
    ) {
        start(name, attributes)
        content(&self)
        end(name)
    }

    /// Writes an element that contains only text.
    public mutating func element(
        _ name: StaticString, _ attributes: [HTMLAttribute] = [], text: String
    ) {
        start(name, attributes)
        append(escaping: text)
        end(name)
    }

    /// Writes an element that never has content, such as `input` or `meta`.
    public mutating func void(_ name: StaticString, _ attributes: [HTMLAttribute]) {
        start(name, attributes)
    }

    /// Writes an SVG element without content. Unlike a void element of HTML, it has to be closed.
    public mutating func shape(_ name: StaticString, _ attributes: [HTMLAttribute]) {
        element(name, attributes) { _ in }
    }

    /// Writes text.
    public mutating func text(_ text: String) { append(escaping: text) }

    @usableFromInline mutating func start(_ name: StaticString, _ attributes: [HTMLAttribute]) {
        append("<", name)
        for attribute in attributes { append(attribute) }
        bytes.append(UInt8(ascii: ">"))
    }

    @usableFromInline mutating func end(_ name: StaticString) { append("</", name, ">") }

    private mutating func append(_ attribute: HTMLAttribute) {
        switch attribute.value {
        case .absent: return
        case .none: append(" ", attribute.name)
        case .text(let value):
            append(" ", attribute.name, "=\"")
            append(escaping: value)
            bytes.append(UInt8(ascii: "\""))
        case .number(let value):
            append(" ", attribute.name, "=\"")
            append(digitsOf: value)
            bytes.append(UInt8(ascii: "\""))
        }
    }

    private mutating func append(digitsOf number: Int) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        // The last digit comes first, and the largest number has 19.
        var digits = InlineArray<19, UInt8>(repeating: 0)
        var start = digits.count
        var rest = number.magnitude
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        bytes.append(addingCapacity: digits.count - start) { piece in
            for index in start..<digits.count { piece.append(digits[index]) }
        }
    }

    /// Appends short texts in one step, because a page consists mostly of tags.
    private mutating func append(
        _ first: StaticString, _ second: StaticString = "", _ third: StaticString = ""
    ) {
        let count =
            first.utf8CodeUnitCount + second.utf8CodeUnitCount + third.utf8CodeUnitCount
        bytes.append(addingCapacity: count) { piece in
            piece.append(first)
            piece.append(second)
            piece.append(third)
        }
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

extension OutputSpan<UInt8> {
    fileprivate mutating func append(_ text: StaticString) {
        for index in 0..<text.utf8CodeUnitCount { append(unsafe text.utf8Start[index]) }
    }
}

/// Reads JSON (RFC 8259) token by token from bytes in memory.
///
/// It does not recurse: each level of nesting takes one byte and no stack space. Values may follow
/// one another, on separate lines or not; after each one ``isBetweenValues`` is true. Numbers and
/// UTF-8 are validated, and a number that may be truncated by the end of the text is not returned.
public struct JSONReader: Sendable {
    public let bytes: [UInt8]
    /// The current position: an offset in bytes from the start of ``bytes``.
    public internal(set) var offset: Int

    let end: Int
    private let endReason: JSONError.Reason
    private let depthLimit: Int
    private let allowsTrailingCommas: Bool
    private var containers: [Container] = []
    private var expected = Expected.topLevelValue

    private enum Container: UInt8 { case object, array }

    /// The grammar's expectation at ``offset``.
    private enum Expected {
        case topLevelValue, value, firstElement, firstKey, separator
    }

    /// - Parameters:
    ///   - range: The bytes of the text, or `nil` for all bytes.
    ///   - allowsTrailingCommas: Whether a comma may precede a closing bracket, as some writers
    ///     produce.
    public init(
        _ bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONLimits = JSONLimits(),
        allowsTrailingCommas: Bool = false
    ) {
        let range = range ?? 0..<bytes.count
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "range leaves bytes")
        self.bytes = bytes
        offset = range.lowerBound
        let isTruncated = range.count > limits.bytes
        end = isTruncated ? range.lowerBound + limits.bytes : range.upperBound
        endReason = isTruncated ? .bytesLimit(limits.bytes) : .truncated
        depthLimit = limits.depth
        self.allowsTrailingCommas = allowsTrailingCommas
    }

    /// Whether the reader is outside of any value.
    public var isBetweenValues: Bool { expected == .topLevelValue }

    /// Returns the next token, or `nil` if the text ends between two values.
    mutating func next() throws(JSONError) -> JSONToken? {
        skipSpace()
        guard offset < end else {
            if isBetweenValues, case .truncated = endReason { return nil }
            throw endError()
        }
        switch expected {
        case .topLevelValue, .value: return try value()
        case .firstElement: return bytes[offset] == .closeBracket ? close() : try value()
        case .firstKey: return bytes[offset] == .closeBrace ? close() : try key()
        case .separator: return try afterValue()
        }
    }
}

extension JSONReader {
    @inline(__always)
    private mutating func value() throws(JSONError) -> JSONToken {
        switch bytes[offset] {
        case .openBrace: return try open(.object, .objectStart, expecting: .firstKey)
        case .openBracket: return try open(.array, .arrayStart, expecting: .firstElement)
        case .quote:
            let token = try scanString(.string)
            return ended(token)
        case UInt8(ascii: "t"): return ended(try scanWord("true", .true))
        case UInt8(ascii: "f"): return ended(try scanWord("false", .false))
        case UInt8(ascii: "n"): return ended(try scanWord("null", .null))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return ended(try scanNumber(mayTouchEnd: containers.isEmpty))
        default: throw invalid("expected a value")
        }
    }

    private mutating func open(
        _ container: Container, _ kind: JSONToken.Kind, expecting next: Expected
    ) throws(JSONError) -> JSONToken {
        guard containers.count < depthLimit
        else { throw JSONError(.depthLimit(depthLimit), at: offset) }
        containers.append(container)
        expected = next
        offset += 1
        return JSONToken(kind, offset - 1..<offset)
    }

    private mutating func close() -> JSONToken {
        let kind: JSONToken.Kind = containers.removeLast() == .object ? .objectEnd : .arrayEnd
        offset += 1
        return ended(JSONToken(kind, offset - 1..<offset))
    }

    @inline(__always)
    private mutating func ended(_ token: JSONToken) -> JSONToken {
        expected = containers.isEmpty ? .topLevelValue : .separator
        return token
    }

    @inline(__always)
    private mutating func key() throws(JSONError) -> JSONToken {
        guard bytes[offset] == .quote else { throw invalid("expected a key") }
        let token = try scanString(.key)
        skipSpace()
        guard offset < end else { throw endError() }
        guard bytes[offset] == .colon else { throw invalid("expected a colon after a key") }
        offset += 1
        expected = .value
        return token
    }

    @inline(__always)
    private mutating func afterValue() throws(JSONError) -> JSONToken {
        let isObject = containers.last == .object
        switch bytes[offset] {
        case .comma:
            offset += 1
            return try afterComma(isObject: isObject)
        case .closeBrace where isObject: return close()
        case .closeBracket where !isObject: return close()
        default: throw invalid(isObject ? "expected ',' or '}'" : "expected ',' or ']'")
        }
    }

    @inline(__always)
    private mutating func afterComma(isObject: Bool) throws(JSONError) -> JSONToken {
        skipSpace()
        guard offset < end else { throw endError() }
        let closing: UInt8 = isObject ? .closeBrace : .closeBracket
        if allowsTrailingCommas, bytes[offset] == closing { return close() }
        return isObject ? try key() : try value()
    }

    @inline(__always)
    private mutating func skipSpace() {
        while offset < end, bytes[offset].isJSONSpace { offset += 1 }
    }

    func invalid(_ what: String) -> JSONError { JSONError(.invalid(what), at: offset) }

    func endError() -> JSONError { JSONError(endReason, at: end) }
}

public import Problems

/// An error in reading JSON text, with its position.
public struct JSONError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The text ended inside a value; the part before may be valid.
        case truncated
        /// The text is not JSON (RFC 8259); the phrase describes what was expected or found.
        case invalid(String)
        /// Arrays and objects nest deeper than the limit, in levels.
        case depthLimit(Int)
        /// The text is longer than the limit, in bytes.
        case bytesLimit(Int)
        /// A value has more tokens than the limit.
        case tokensLimit(Int)
    }

    public var reason: Reason
    /// The offset in bytes from the start of the input.
    public var offset: Int

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONError: DescribedError {
    /// `json+0x1a4: text ends inside a value`.
    public var problem: Problem {
        Problem("json+0x\(String(offset, radix: 16))", detail: reason.description)
    }
}

extension JSONError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated: "text ends inside a value"
        case .invalid(let what): what
        case .depthLimit(let limit): "nests deeper than \(limit) levels"
        case .bytesLimit(let limit): "is longer than \(limit) bytes"
        case .tokensLimit(let limit): "value has more than \(limit) tokens"
        }
    }
}

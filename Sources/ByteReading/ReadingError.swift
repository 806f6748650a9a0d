/// Bytes that violate their format, with the position of the violation.
public struct ReadingError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        case needs(bytes: UInt64, has: UInt64)
        case numberTooLarge
        case textTooLong(limit: Int)
        case unterminatedText
        case malformed(String)
    }

    public var reason: Reason
    /// The name of the bytes: a section's name, `load commands`, `file`.
    public var subject: String
    /// The offset from the start of `subject`.
    public var offset: UInt64

    public init(_ reason: Reason, in subject: String, at offset: UInt64) {
        self.reason = reason
        self.subject = subject
        self.offset = offset
    }
}

extension ReadingError: CustomStringConvertible {
    /// `.debug_abbrev+0x1a4: LEB128 number is longer than 10 bytes`.
    public var description: String {
        "\(subject)+0x\(String(offset, radix: 16)): \(reason)"
    }
}

extension ReadingError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .needs(let bytes, let has): "needs \(bytes) bytes, has \(has)"
        case .numberTooLarge: "LEB128 number is longer than 10 bytes"
        case .textTooLong(let limit): "text is longer than \(limit) bytes"
        case .unterminatedText: "text is not terminated"
        case .malformed(let what): what
        }
    }
}

public import Problems

/// Why bytes could not be compressed or inflated.
public struct CompressionError: DescribedError, Hashable {
    public enum Reason: Hashable, Sendable {
        /// The stream or its checksum is invalid, or the stream is truncated.
        case damaged
        /// The bytes inflate to more than the caller's limit, in bytes.
        case tooLarge(limit: Int)
        /// The library could not allocate its state.
        case noMemory
    }

    public var reason: Reason
    /// The name of the bytes, such as `gzip body`.
    public var subject: String

    init(_ reason: Reason, in subject: String) {
        self.reason = reason
        self.subject = subject
    }

    /// `gzip body: inflates to more than 67108864 bytes: send less at once`.
    public var problem: Problem {
        switch reason {
        case .damaged:
            Problem(subject, detail: "is corrupt or truncated", suggestion: "send it again")
        case .tooLarge(let limit):
            Problem(
                subject, detail: "inflates to more than \(limit) bytes",
                suggestion: "send less at once")
        case .noMemory: Problem(subject, detail: "out of memory", suggestion: "try again later")
        }
    }
}

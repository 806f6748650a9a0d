/// Why bytes could not be compressed, or not inflated again.
public struct CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// The checksum or the stream is wrong, or its end is missing.
        case damaged
        /// The bytes inflate to more than the caller has room for, in bytes.
        case tooLarge(limit: Int)
        /// The library found no memory for its own state.
        case noMemory
    }

    public var reason: Reason
    /// What was read or written: `gzip body`.
    public var subject: String

    init(_ reason: Reason, in subject: String) {
        self.reason = reason
        self.subject = subject
    }

    /// `gzip body: inflates to more than 67108864 bytes: send less at once`.
    public var description: String {
        switch reason {
        case .damaged: "\(subject): is damaged or cut off: send it whole"
        case .tooLarge(let limit):
            "\(subject): inflates to more than \(limit) bytes: send less at once"
        case .noMemory: "\(subject): no memory is left: try again later"
        }
    }
}

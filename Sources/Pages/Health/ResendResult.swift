import StackRendering

/// The result of sending the dead letters of an exporter again.
public struct ResendResult: Hashable, Sendable {
    public var sentCount: Int
    public var count: Int
    /// The reason why some letters failed, or `nil` if it is no longer known.
    public var failure: String?

    /// - Returns: `nil` if the counts contradict each other.
    public init?(sent sentCount: Int, of count: Int, failure: String? = nil) {
        guard count >= 0, (0...count).contains(sentCount) else { return nil }
        self.sentCount = sentCount
        self.count = count
        self.failure = failure
    }

    /// `Sent 2 of 3 letters. The others failed: 503 from backend`
    var text: String {
        let sent = "Sent \(grouped(sentCount)) of \(counted(count, "letter"))."
        guard sentCount < count else { return sent }
        return sent + " The others failed" + (failure.map { ": \($0)" } ?? ".")
    }
}

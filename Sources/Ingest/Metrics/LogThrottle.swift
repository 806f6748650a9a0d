/// Limits a log line to one per minute, and adds up the counts of suppressed lines.
struct LogThrottle: Sendable {
    static let interval = Duration.seconds(60)

    private var pending: Int64 = 0
    private var lastLine: Duration?

    /// - Returns: The sum since the last line, or `nil` if it is too early for another line.
    mutating func add(_ count: Int64, now: Duration) -> Int64? {
        pending += count
        if let lastLine, now - lastLine < Self.interval { return nil }
        lastLine = now
        defer { pending = 0 }
        return pending
    }
}

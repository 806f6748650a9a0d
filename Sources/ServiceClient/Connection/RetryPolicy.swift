/// Decides whether and when to repeat a failed request.
public struct RetryPolicy: Sendable {
    /// The maximum number of retries after the first attempt.
    public var retryCount = 5
    /// Waits for a delay. Tests replace it.
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Returns a number from 0 up to, but excluding, 1.
    var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

    public init() {}

    static let firstDelay = Duration.milliseconds(500)
    static let delayLimit = Duration.seconds(30)
    /// The longest `Retry-After` that is honoured.
    static let retryAfterLimit = Duration.seconds(300)

    /// Returns the delay before a retry; retries are numbered from 1.
    ///
    /// Half of the delay is random, so that concurrent CI jobs do not all retry at the same time.
    ///
    /// - Parameter retryAfter: The server's `Retry-After`, a lower bound of the delay.
    func delay(beforeRetry number: Int, retryAfter: Duration?) -> Duration {
        let doubled = Self.firstDelay * (1 << min(number - 1, 16))
        let ours = min(doubled, Self.delayLimit) * (0.5 + random() / 2)
        return max(ours, min(retryAfter ?? .zero, Self.retryAfterLimit))
    }

    /// Whether a request with this status may succeed later.
    static func isWorthRetrying(_ status: Int) -> Bool {
        [408, 425, 429, 500, 502, 503, 504].contains(status)
    }
}

/// When a request that failed is sent again.
public struct RetryPolicy: Sendable {
    /// How often after the first time.
    public var retryCount = 5
    /// Waits; tests do not.
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// A number from 0 up to 1.
    var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

    public init() {}

    static let firstDelay = Duration.milliseconds(500)
    static let delayLimit = Duration.seconds(30)
    /// The longest that a server's own wish is followed.
    static let wishLimit = Duration.seconds(300)

    /// How long to wait before the retry of a number, from 1.
    ///
    /// Half of it is chance, so that all jobs of a CI do not come back at once.
    ///
    /// - Parameter wish: What the server asked for (`Retry-After`); never waits less.
    func delay(beforeRetry number: Int, wish: Duration?) -> Duration {
        let doubled = Self.firstDelay * (1 << min(number - 1, 16))
        let ours = min(doubled, Self.delayLimit) * (0.5 + random() / 2)
        return max(ours, min(wish ?? .zero, Self.wishLimit))
    }

    /// Whether a server that answers so may answer otherwise later.
    static func isWorthRetrying(_ status: Int) -> Bool {
        [408, 425, 429, 500, 502, 503, 504].contains(status)
    }
}

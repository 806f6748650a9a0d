/// Decides whether and when a failed request is retried. All requests of this module are safe to
/// repeat.
public struct AttemptPolicy: Sendable {
    /// The maximum number of attempts at a request.
    public var attemptLimit = 6
    /// The time after which no further attempt is started.
    public var timeLimit = Duration.seconds(120)
    /// Waits for a delay. Tests replace it.
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Returns a number from 0 up to, but excluding, 1.
    var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

    public init() {}

    static let firstDelay = Duration.milliseconds(200)
    static let delayLimit = Duration.seconds(10)
    /// The longest `Retry-After` that is honoured.
    static let retryAfterLimit = Duration.seconds(60)

    /// Returns the delay after a number of attempts. Half of it is random, so that the nodes of a
    /// service do not all retry at the same time.
    func delay(afterAttempt number: Int, retryAfter: Duration?) -> Duration {
        let doubled = Self.firstDelay * (1 << min(max(number - 1, 0), 16))
        let ours = min(doubled, Self.delayLimit) * (0.5 + random() / 2)
        return max(ours, min(retryAfter ?? .zero, Self.retryAfterLimit))
    }
}

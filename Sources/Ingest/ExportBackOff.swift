/// The waits between attempts: exponential, with full jitter.
///
/// Full jitter, a random time between nothing and the whole wait, spreads the attempts of many
/// senders best when a server comes back.
struct ExportBackOff: Sendable {
    private let settings: RetrySettings
    private var failureCount = 0

    init(_ settings: RetrySettings) { self.settings = settings }

    /// The wait after one more failure.
    ///
    /// - Parameters:
    ///   - asked: What the other side asked for. Never waits less, unless it is beyond
    ///     ``RetrySettings/longestAskedWait``.
    ///   - random: A number from 0 to 1.
    mutating func nextWait(asked: Duration? = nil, random: Double) -> Duration {
        // 2^30 of the shortest wait that is of use is beyond any longest one.
        let doublings = min(failureCount, 30)
        failureCount += 1
        let whole = min(settings.initialWait * (1 << doublings), settings.longestWait)
        let own = whole * min(max(random, 0), 1)
        guard let asked else { return own }
        return max(own, min(asked, settings.longestAskedWait))
    }

    mutating func reset() { failureCount = 0 }
}

/// Computes the waits between attempts, by exponential backoff with full jitter.
///
/// Full jitter, a random time between zero and the whole wait, is the best way to spread the
/// attempts of many senders when a server recovers.
struct ExportBackoff: Sendable {
    private let settings: RetrySettings
    private var failureCount = 0

    init(_ settings: RetrySettings) { self.settings = settings }

    /// Returns the wait after another failure.
    ///
    /// - Parameters:
    ///   - requested: The wait requested by the receiver. The result is never shorter, unless it
    ///     exceeds ``RetrySettings/longestRequestedWait``.
    ///   - random: A number from 0 to 1.
    mutating func nextWait(requested requestedWait: Duration? = nil, random: Double) -> Duration {
        // 30 doublings of any useful initial wait exceed every reasonable limit.
        let doublings = min(failureCount, 30)
        failureCount += 1
        let whole = min(settings.initialWait * (1 << doublings), settings.longestWait)
        let own = whole * min(max(random, 0), 1)
        guard let requestedWait else { return own }
        return max(own, min(requestedWait, settings.longestRequestedWait))
    }

    mutating func reset() { failureCount = 0 }
}

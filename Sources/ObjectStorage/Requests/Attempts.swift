/// The attempts of one request.
struct Attempts {
    let policy: AttemptPolicy
    private let start = ContinuousClock.now
    /// The number of attempts that failed.
    private(set) var count = 0
    private var hadWrongBytes = false

    init(policy: AttemptPolicy) { self.policy = policy }

    /// Records a failed attempt, and returns the delay before the next one, or `nil` if it was the
    /// last.
    mutating func delay(after failure: AttemptFailure) -> Duration? {
        count += 1
        guard isWorthRetrying(failure), count < policy.attemptLimit,
            start.duration(to: .now) < policy.timeLimit
        else { return nil }
        return policy.delay(afterAttempt: count, retryAfter: failure.retryAfter)
    }

    /// Wrong bytes may be a transmission error, which is unlikely to happen twice.
    private mutating func isWorthRetrying(_ failure: AttemptFailure) -> Bool {
        guard case .wrongBytes = failure else { return failure.isTransient }
        defer { hadWrongBytes = true }
        return !hadWrongBytes
    }
}

import Synchronization

/// Limits wrong tokens on the sign-in page by client address.
final class SignInLimiter: Sendable {
    /// The maximum number of wrong tokens per address in ``window``.
    static let attemptLimit = 10
    static let window = Duration.seconds(60)
    /// The maximum number of addresses that are remembered.
    static let addressLimit = 10_000

    private let failures = Mutex<[String: (count: Int, start: ContinuousClock.Instant)]>([:])

    /// Whether an address may try another token.
    func admits(_ address: String, at now: ContinuousClock.Instant) -> Bool {
        failures.withLock { failures in
            guard let found = failures[address], now - found.start < Self.window
            else { return true }
            return found.count < Self.attemptLimit
        }
    }

    /// Counts a wrong token.
    func fail(_ address: String, at now: ContinuousClock.Instant) {
        failures.withLock { failures in
            if failures.count >= Self.addressLimit {
                failures = failures.filter { now - $0.value.start < Self.window }
                if failures.count >= Self.addressLimit { failures = [:] }
            }
            if let found = failures[address], now - found.start < Self.window {
                failures[address]?.count += 1
            } else {
                failures[address] = (1, now)
            }
        }
    }
}

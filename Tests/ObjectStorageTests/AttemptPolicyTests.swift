import Testing

@testable import ObjectStorage

@Suite("Retries")
struct AttemptPolicyTests {
    private func policy(random: Double) -> AttemptPolicy {
        var policy = AttemptPolicy()
        policy.random = { random }
        return policy
    }

    @Test("delays double up to a limit, and half of each is random")
    func delays() {
        let long = policy(random: 0.999_999_999)
        let short = policy(random: 0)
        for number in 1...100 {
            let most = min(
                AttemptPolicy.firstDelay * (1 << min(number - 1, 20)), AttemptPolicy.delayLimit)
            #expect(short.delay(afterAttempt: number, retryAfter: nil) == most / 2)
            let delay = long.delay(afterAttempt: number, retryAfter: nil)
            #expect(delay > most * 0.99 && delay <= most)
        }
    }

    @Test("a server's delay is honoured up to a limit")
    func retryAfter() {
        let policy = policy(random: 0)
        #expect(policy.delay(afterAttempt: 1, retryAfter: .seconds(20)) == .seconds(20))
        #expect(
            policy.delay(afterAttempt: 1, retryAfter: .seconds(1_000_000))
                == AttemptPolicy.retryAfterLimit)
    }

    @Test("attempts end by their number and by their time")
    func limits() {
        var policy = policy(random: 0)
        policy.attemptLimit = 3
        var attempts = Attempts(policy: policy)
        #expect(attempts.delay(after: .noResponse("")) != nil)
        #expect(attempts.delay(after: .noResponse("")) != nil)
        #expect(attempts.delay(after: .noResponse("")) == nil)
        policy.timeLimit = .zero
        var late = Attempts(policy: policy)
        #expect(late.delay(after: .noResponse("")) == nil)
    }
}

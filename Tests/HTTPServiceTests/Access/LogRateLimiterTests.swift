import TestSupport
import Testing

@testable import HTTPService

@Suite("The rate limit of the audit log", .ownThreads)
struct LogRateLimiterTests {
    @Test("the first lines are written, and the others counted until the window ends")
    func window() {
        var limiter = LogRateLimiter(lines: 2, per: .seconds(10))
        let first = ["a", "b"].map { limiter.admits($0, at: .zero) }
        #expect(first == [true, true])
        let others = ["a", "a", "b", "a"].map { limiter.admits($0, at: .seconds(9)) }
        #expect(others == [false, false, false, false])
        let early = limiter.takeSuppressed(at: .seconds(9))
        #expect(early.isEmpty)
        let suppressed = limiter.takeSuppressed(at: .seconds(10))
        #expect(suppressed.map(\.subject) == ["a", "b"])
        #expect(suppressed.map(\.count) == [3, 1])
        let again = limiter.takeSuppressed(at: .seconds(20))
        #expect(again.isEmpty)
        let next = limiter.admits("a", at: .seconds(20))
        #expect(next)
    }

    @Test("the number of lines is bounded, however many subjects there are")
    func subjects() {
        var limiter = LogRateLimiter(lines: 0, per: .seconds(10))
        let admitted = (0..<1_000).map { limiter.admits("\($0)", at: .zero) }
        #expect(!admitted.contains(true))
        let suppressed = limiter.takeSuppressed(at: .seconds(10))
        #expect(suppressed.count == LogRateLimiter.subjectLimit + 1)
        #expect(suppressed.map(\.count).reduce(0, +) == 1_000)
        #expect(suppressed.contains { $0.subject == LogRateLimiter.otherSubjects })
    }
}

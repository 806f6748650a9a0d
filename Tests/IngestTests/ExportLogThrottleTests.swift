import Testing

@testable import Ingest

@Suite("Lines of the log")
struct LogThrottleTests {
    @Test("a line is logged at once and then at most once a minute, with the sum")
    func onceAMinute() {
        var throttle = LogThrottle()
        #expect(throttle.add(5, now: .seconds(10)) == 5)
        #expect(throttle.add(2, now: .seconds(11)) == nil)
        #expect(throttle.add(3, now: .seconds(69)) == nil)
        #expect(throttle.add(1, now: .seconds(70)) == 6)
        #expect(throttle.add(1, now: .seconds(71)) == nil)
    }
}

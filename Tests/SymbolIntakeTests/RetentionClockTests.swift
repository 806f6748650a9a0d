import CallStacks
import Testing

import SymbolIntake

@Suite("The clock of the retention")
struct RetentionClockTests {
    private let start = ContinuousClock.now
    private let first = UnixTime(rawValue: 1_800_000_000_000)

    @Test("the time of the system is used while it passes steadily, also in long steps")
    func steady() {
        var clock = RetentionClock(first, steady: start)
        for days in Int64(1)...40 {
            let wall = first.advanced(seconds: days * 86_400)
            #expect(clock.time(wall: wall, steady: start + .seconds(days * 86_400)) == wall)
        }
    }

    @Test("after a jump ahead, time passes as if there had been none")
    func jump() {
        var clock = RetentionClock(first, steady: start)
        let jump: Int64 = 10 * 365 * 86_400
        for minutes in Int64(1)...3 {
            let wall = first.advanced(seconds: jump + minutes * 60)
            #expect(
                clock.time(wall: wall, steady: start + .seconds(minutes * 60))
                    == first.advanced(seconds: minutes * 60))
        }
        let corrected = first.advanced(seconds: 240)
        #expect(clock.time(wall: corrected, steady: start + .seconds(240)) == corrected)
    }

    @Test("a clock that was set back counts at once, and so does its correction")
    func setBack() {
        var clock = RetentionClock(first, steady: start)
        let back = first.advanced(seconds: -86_400)
        #expect(clock.time(wall: back, steady: start + .seconds(5)) == back)
        let corrected = first.advanced(seconds: 10)
        #expect(clock.time(wall: corrected, steady: start + .seconds(10)) == corrected)
    }

    @Test("small jumps are accepted")
    func tolerance() {
        var clock = RetentionClock(first, steady: start)
        let wall = first.advanced(seconds: RetentionClock.tolerance.components.seconds)
        #expect(clock.time(wall: wall, steady: start) == wall)
    }
}

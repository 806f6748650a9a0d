import CallStacks
import Testing

@testable import Ingest

@Suite("Dead letters that are sent again")
struct DeadLetterRetryScheduleTests {
    /// A schedule as a reference, because expectations cannot call mutating methods.
    private final class Bench {
        var schedule = DeadLetterRetrySchedule()

        func startRound(recoveries: Int) -> Bool { schedule.startRound(recoveries: recoveries) }

        /// - Parameter accepted: The number of the last accepted request.
        func isContent(_ letter: DeadLetter, sent: Int, accepted: Int) -> Bool {
            schedule.recordRefused(letter, sent: sent) { accepted > $0 }
        }
    }

    private func letter(_ id: Int64) -> DeadLetter {
        DeadLetter(
            id: id, exporter: "a", signal: .logs, refusal: UnixTime(rawValue: 0), reason: "400",
            recordCount: 1, body: [])
    }

    @Test("a letter that is refused again after another request was accepted stays a dead letter")
    func contentRefusal() {
        let bench = Bench()
        #expect(bench.startRound(recoveries: 0))
        #expect(!bench.isContent(letter(1), sent: 5, accepted: 9), "refused once")
        #expect(!bench.isContent(letter(2), sent: 6, accepted: 9))
        #expect(!bench.isContent(letter(1), sent: 12, accepted: 5), "nothing accepted since")
        #expect(bench.isContent(letter(2), sent: 13, accepted: 9))
        #expect(bench.isContent(letter(1), sent: 14, accepted: 9))
        #expect(!bench.isContent(letter(1), sent: 15, accepted: 9), "forgotten")
    }

    @Test("there are no rounds for refused letters that were accepted or removed since")
    func settled() {
        let bench = Bench()
        #expect(bench.startRound(recoveries: 0))
        #expect(!bench.isContent(letter(1), sent: 5, accepted: 0))
        #expect(!bench.isContent(letter(2), sent: 6, accepted: 0))
        bench.schedule.recordEnd()
        #expect((0..<100).contains { _ in bench.startRound(recoveries: 0) })
        bench.schedule.recordAccepted(letter(1))
        bench.schedule.recordEnd()
        for _ in 0..<100 { #expect(!bench.startRound(recoveries: 0)) }
    }

    @Test("refusals during an outage do not count after the recovery")
    func refusalInOutage() {
        let bench = Bench()
        #expect(bench.startRound(recoveries: 0))
        #expect(!bench.isContent(letter(1), sent: 5, accepted: 0))
        bench.schedule.recordEnd()
        #expect(bench.startRound(recoveries: 1))
        #expect(!bench.isContent(letter(1), sent: 9, accepted: 8))
    }

    @Test("a letter without a response does not hold up those after it, and is tried again")
    func unanswered() {
        let bench = Bench()
        #expect(bench.startRound(recoveries: 0))
        bench.schedule.recordUnanswered(letter(1))
        #expect(bench.schedule.isOver)
        #expect(bench.schedule.lastID == 1)
        while !bench.startRound(recoveries: 0) {}
        bench.schedule.recordAccepted(letter(2))
        bench.schedule.recordEnd()
        #expect(bench.schedule.lastID == 0)
        #expect((0..<100).contains { _ in bench.startRound(recoveries: 0) })
        bench.schedule.recordAccepted(letter(1))
        bench.schedule.recordEnd()
        for _ in 0..<100 { #expect(!bench.startRound(recoveries: 0)) }
    }

    @Test("a round ends after some refusals in a row, and the next continues after them")
    func refusals() {
        let bench = Bench()
        #expect(bench.startRound(recoveries: 0))
        for id in 1...Int64(DeadLetterRetrySchedule.refusalLimit) {
            #expect(!bench.schedule.isOver)
            #expect(!bench.isContent(letter(id), sent: 0, accepted: 0))
        }
        #expect(bench.schedule.isOver)
        #expect(bench.schedule.lastID == Int64(DeadLetterRetrySchedule.refusalLimit))
    }

    @Test(
        "rounds without a delivery become less frequent, and a recovery starts one at once")
    func pauses() {
        let bench = Bench()
        var rounds: [Int] = []
        for interval in 0..<300 where bench.startRound(recoveries: 0) {
            rounds.append(interval)
            bench.schedule.recordUnanswered(letter(1))
        }
        #expect(rounds == [0, 2, 6, 14, 30, 62, 126, 190, 254])
        #expect(bench.startRound(recoveries: 1))
        bench.schedule.recordUnanswered(letter(1))
        #expect(!bench.startRound(recoveries: 1))
    }

    @Test("after all are accepted there is no round until the next recovery")
    func allAccepted() {
        let bench = Bench()
        #expect(bench.startRound(recoveries: 0))
        bench.schedule.recordAccepted(letter(1))
        bench.schedule.recordEnd()
        #expect(bench.schedule.isOver)
        for _ in 0..<1_000 { #expect(!bench.startRound(recoveries: 0)) }
        #expect(bench.startRound(recoveries: 1))
    }

    @Test("a round sends a limited number of letters, and the next one the others")
    func bound() {
        let bench = Bench()
        #expect(bench.startRound(recoveries: 0))
        var id: Int64 = 0
        while !bench.schedule.isOver, id < 5_000 {
            id += 1
            bench.schedule.recordAccepted(letter(id))
        }
        #expect(id == Int64(DeadLetterRetrySchedule.countLimit))
        #expect(bench.startRound(recoveries: 0))
    }
}

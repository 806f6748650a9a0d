import CallStacks
import Testing

@testable import Ingest

@Suite("Dead letters that are sent again")
struct DeadLetterRoundTests {
    /// A round as a reference, because expectations can't call what changes a value.
    private final class Bench {
        var round = DeadLetterRound()

        func isDue(recoveries: Int) -> Bool { round.isDue(recoveries: recoveries) }

        func settled(isTaken: (Signal, Int) -> Bool) -> [Int64] { round.settled(isTaken: isTaken) }
    }

    private func letter(_ id: Int64) -> DeadLetter {
        DeadLetter(
            id: id, exporter: "a", signal: .logs, refusal: UnixTime(rawValue: 0), reason: "400",
            recordCount: 1, body: [])
    }

    @Test("a letter that is refused while a later request is taken is settled")
    func settled() {
        let bench = Bench()
        #expect(bench.isDue(recoveries: 0))
        bench.round.noteRefused(letter(1), sent: 5)
        bench.round.noteRefused(letter(2), sent: 6)
        #expect(bench.settled { _, _ in false } == [])
        #expect(bench.settled { signal, sent in signal == .logs && sent < 6 } == [1])
        #expect(bench.settled { _, _ in true } == [2])
        #expect(bench.settled { _, _ in true } == [])
    }

    @Test("a round ends after some refusals in a row, and goes on behind them")
    func refusals() {
        let bench = Bench()
        #expect(bench.isDue(recoveries: 0))
        for id in 1...Int64(DeadLetterRound.refusalLimit) {
            #expect(!bench.round.isOver)
            bench.round.noteRefused(letter(id), sent: 0)
        }
        #expect(bench.round.isOver)
        #expect(bench.round.lastID == Int64(DeadLetterRound.refusalLimit))
    }

    @Test(
        "rounds in which nothing is taken come less and less often, a recovery brings one at once")
    func pauses() {
        let bench = Bench()
        var rounds: [Int] = []
        for interval in 0..<300 where bench.isDue(recoveries: 0) {
            rounds.append(interval)
            bench.round.noteUnreached()
        }
        #expect(rounds == [0, 2, 6, 14, 30, 62, 126, 190, 254])
        #expect(bench.isDue(recoveries: 1))
        bench.round.noteUnreached()
        #expect(!bench.isDue(recoveries: 1))
    }

    @Test("when all are taken there is no round until the next recovery")
    func allTaken() {
        let bench = Bench()
        #expect(bench.isDue(recoveries: 0))
        bench.round.noteTaken(letter(1))
        bench.round.noteEnd()
        #expect(bench.round.isOver)
        for _ in 0..<1_000 { #expect(!bench.isDue(recoveries: 0)) }
        #expect(bench.isDue(recoveries: 1))
    }

    @Test("a round has no more letters than allowed, and the next one has the others")
    func bound() {
        let bench = Bench()
        #expect(bench.isDue(recoveries: 0))
        var id: Int64 = 0
        while !bench.round.isOver, id < 5_000 {
            id += 1
            bench.round.noteTaken(letter(id))
        }
        #expect(id == Int64(DeadLetterRound.countLimit))
        #expect(bench.isDue(recoveries: 0))
    }
}

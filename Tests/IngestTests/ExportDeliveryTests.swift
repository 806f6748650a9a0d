import TestSupport
import Testing

@testable import Ingest

@Suite("Delivery of a parcel")
struct ExportDeliveryTests {
    /// Drives a delivery to its end against a receiver that refuses some entries.
    private struct Run {
        var taken: [UInt8] = []
        var buried: [UInt8] = []
        var sendCount = 0

        init(_ entries: ClosedRange<Int64>, answer: (ExportBatch) -> ExportOutcome) {
            var delivery = ExportDelivery(parcel(entries), retry: RetrySettings())
            while let step = delivery.step {
                switch step {
                case .send(let batch):
                    sendCount += 1
                    let outcome = answer(batch)
                    if case .taken = outcome { taken += batch.body }
                    delivery.take(outcome, now: .zero, random: 1)
                case .wait: delivery.waited()
                case .bury(let batch, _):
                    buried += batch.body
                    delivery.buried()
                }
            }
        }
    }

    private static func refusing(_ bad: Set<UInt8>) -> (ExportBatch) -> ExportOutcome {
        { batch in
            bad.isDisjoint(with: batch.body)
                ? .taken(rejectedCount: 0, message: "")
                : .refused(reason: "400", isForContent: true)
        }
    }

    @Test("a batch that is taken is sent once")
    func taken() {
        let run = Run(1...100, answer: Self.refusing([]))
        #expect(run.sendCount == 1)
        #expect(run.taken == Array(1...100))
    }

    @Test("one bad entry among many is found with few attempts and buried alone")
    func oneBad() {
        for bad in UInt8(1)...64 {
            let run = Run(1...64, answer: Self.refusing([bad]))
            #expect(run.buried == [bad])
            #expect(run.taken == (1...64).filter { $0 != bad })
            #expect(run.sendCount == 13)
        }
    }

    @Test("any bad entries are buried and no others", arguments: UInt64(0)..<50)
    func anyBad(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let count = Int64.random(in: 1...80, using: &numbers)
        let bad = Set((1...count).map(UInt8.init).filter { _ in numbers.next() % 5 == 0 })
        let run = Run(1...count, answer: Self.refusing(bad))
        #expect(run.buried == bad.sorted())
        #expect(Set(run.taken) == Set((1...count).map(UInt8.init)).subtracting(bad))
        #expect(run.sendCount <= 2 * Int(count))
    }

    @Test("what is refused for anything but its content is buried as it is")
    func refusedForOtherReasons() {
        let run = Run(1...50) { _ in .refused(reason: "401 Unauthorized", isForContent: false) }
        #expect(run.sendCount == 1)
        #expect(run.buried == Array(1...50))
    }

    @Test("after a refusal the halves may still have to wait")
    func retryOfHalves() {
        var isDown = false
        let run = Run(1...16) { batch in
            isDown.toggle()
            return isDown ? .retry(reason: "503", after: nil) : Self.refusing([5])(batch)
        }
        #expect(run.buried == [5])
        #expect(run.taken.count == 15)
    }

    @Test("it is tried for ever without a limit")
    func forEver() {
        var delivery = ExportDelivery(parcel(1...3), retry: RetrySettings())
        for hour in 0..<10_000 {
            delivery.take(.retry(reason: "503", after: nil), now: .seconds(hour * 3_600), random: 1)
            guard case .wait(let wait) = delivery.step else {
                Issue.record("does not wait")
                return
            }
            #expect(wait <= .seconds(30))
            delivery.waited()
        }
    }

    @Test("behind a limit it is buried with its last reason")
    func maxElapsed() throws {
        var retry = RetrySettings()
        retry.maxElapsed = .seconds(60)
        var delivery = ExportDelivery(parcel(1...3), retry: retry)
        delivery.take(.retry(reason: "503 first", after: nil), now: .seconds(100), random: 1)
        delivery.waited()
        delivery.take(.retry(reason: "503 second", after: nil), now: .seconds(159), random: 1)
        guard case .wait = delivery.step else {
            Issue.record("does not wait")
            return
        }
        delivery.waited()
        delivery.take(.retry(reason: "503 last", after: nil), now: .seconds(160), random: 1)
        guard case .bury(let batch, let reason) = delivery.step else {
            Issue.record("does not bury")
            return
        }
        #expect(batch.body == [1, 2, 3])
        #expect(reason == "gave up after 60 s: 503 last")
    }

    @Test(
        "what the other side asks for is waited", arguments: [(3.5, 3.5), (1e18, 300), (-4, 0.5)])
    func asked(seconds: Double, expected: Double) {
        var delivery = ExportDelivery(parcel(1...1), retry: RetrySettings())
        delivery.take(.retry(reason: "429", after: seconds), now: .zero, random: 1)
        guard case .wait(let wait) = delivery.step else {
            Issue.record("does not wait")
            return
        }
        #expect(wait == .seconds(expected))
    }
}

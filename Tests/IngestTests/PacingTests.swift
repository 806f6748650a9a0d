import TestSupport
import Testing

@testable import Ingest

@Suite("Pacing")
struct PacingTests {
    private static func backlog(_ bytes: Int64, worked: Int64 = 0) -> WorkerBacklog {
        WorkerBacklog(bytes: bytes, processedBytes: worked)
    }

    private func pacing(_ bytes: Int64 = 0) -> Pacing {
        Pacing(minimumBytes: 100, backlog: Self.backlog(bytes))
    }

    private static func waiting(_ ticket: Pacing.Ticket) throws -> Pacing.Ticket {
        _ = try #require(ticket.admission)
        return ticket
    }

    @Test("requests are admitted until the limit is reached, whatever their size")
    func limit() throws {
        var pacing = pacing()
        for bytes in [99, 5_000] {
            let ticket = pacing.enter(bytes: bytes, Self.backlog(0))
            #expect(ticket.admission == nil)
        }
        let ticket = pacing.enter(bytes: 1, Self.backlog(0))
        #expect(ticket.admission != nil)
    }

    @Test("waiting requests are admitted in order as the worker catches up")
    func order() throws {
        var pacing = pacing(100)
        let tickets = (0..<3).map { _ in pacing.enter(bytes: 30, Self.backlog(100)) }
        pacing.worked(Self.backlog(50, worked: 50), in: .seconds(10))
        let answers = tickets.map { pacing.endWait(of: $0, isLast: true) }
        #expect(answers == [true, true, false])
    }

    @Test(
        "beyond the limit, a share of the processed bytes is admitted, at least half",
        arguments: [(1_000, 50), (150, 66), (125, 80), (100, 100)])
    func share(left: Int64, admitted: Int) throws {
        var pacing = pacing(left + 100)
        let first = try Self.waiting(pacing.enter(bytes: admitted, Self.backlog(left + 100)))
        let second = try Self.waiting(pacing.enter(bytes: 1, Self.backlog(left + 100)))
        pacing.worked(Self.backlog(left, worked: 100), in: .seconds(10))
        let isFirstIn = pacing.endWait(of: first, isLast: true)
        #expect(isFirstIn)
        let isSecondIn = pacing.endWait(of: second, isLast: true)
        #expect(!isSecondIn)
    }

    @Test("a request that waited for exporters waits for the worker once they have caught up")
    func exportersCaughtUp() throws {
        var pacing = pacing(1_000)
        pacing.recordWaitForExporters()
        let ticket = try Self.waiting(pacing.enter(bytes: 50, Self.backlog(1_000)))
        pacing.worked(Self.backlog(1_000, worked: 1), in: .seconds(10))
        let isInEarly = pacing.endWait(of: ticket, isLast: false)
        #expect(!isInEarly)
        pacing.worked(Self.backlog(900, worked: 101), in: .seconds(10))
        let isIn = pacing.endWait(of: ticket, isLast: true)
        #expect(isIn)
    }

    @Test("progress is admitted even if a request reported it first")
    func progressSeenByRequests() throws {
        var pacing = pacing(1_000)
        let ticket = try Self.waiting(pacing.enter(bytes: 50, Self.backlog(1_000)))
        let other = pacing.enter(bytes: 1, Self.backlog(900, worked: 100))
        #expect(other.admission != nil)
        pacing.worked(Self.backlog(900, worked: 100), in: .seconds(10))
        let isIn = pacing.endWait(of: ticket, isLast: true)
        #expect(isIn)
    }

    @Test("the size of a request is estimated as stored, not as received")
    func storedSizes() throws {
        var pacing = pacing()
        var stored: Int64 = 0
        // A tenth of what arrives is stored.
        for _ in 0..<50 {
            let ticket = pacing.enter(bytes: 100, Self.backlog(0, worked: stored))
            stored += 10
            pacing.leave(ticket, isStored: true, Self.backlog(10, worked: stored - 10))
            pacing.worked(Self.backlog(0, worked: stored), in: .seconds(10))
        }
        let tickets = (0..<12).map { _ in
            pacing.enter(bytes: 100, Self.backlog(0, worked: stored))
        }
        #expect(tickets.count { $0.admission == nil } == 10)
    }

    @Test("a request that was not stored does not change the estimate")
    func failures() {
        var pacing = pacing()
        let ticket = pacing.enter(bytes: 90, Self.backlog(0))
        pacing.leave(ticket, isStored: false, Self.backlog(0))
        pacing.worked(Self.backlog(0, worked: 10), in: .seconds(10))
        let tickets = (0..<3).map { _ in pacing.enter(bytes: 60, Self.backlog(0, worked: 10)) }
        #expect(tickets.count { $0.admission == nil } == 2)
    }

    @Test("the speed includes progress that a request reported first")
    func speedSeenByRequests() {
        var pacing = pacing()
        _ = pacing.enter(bytes: 1, Self.backlog(0, worked: 1_000))
        pacing.worked(Self.backlog(0, worked: 1_000), in: .seconds(1))
        #expect(pacing.limit == 2_000)
    }

    @Test("a request that has waited too long is refused, and gives way to others")
    func late() throws {
        var pacing = pacing(100)
        let first = try Self.waiting(pacing.enter(bytes: 100, Self.backlog(100)))
        let isFirstIn = pacing.endWait(of: first, isLast: true)
        #expect(!isFirstIn)
        let second = try Self.waiting(pacing.enter(bytes: 100, Self.backlog(100)))
        pacing.worked(Self.backlog(0, worked: 100), in: .seconds(10))
        let isSecondIn = pacing.endWait(of: second, isLast: true)
        #expect(isSecondIn)
    }

    @Test("while the worker waits for exporters, a request is admitted after its wait")
    func heldUp() throws {
        var pacing = pacing(100)
        pacing.recordWaitForExporters()
        let held = try Self.waiting(pacing.enter(bytes: 10, Self.backlog(100)))
        let isHeldIn = pacing.endWait(of: held, isLast: true)
        #expect(isHeldIn)
        pacing.worked(Self.backlog(100, worked: 5), in: .seconds(10))
        let next = try Self.waiting(pacing.enter(bytes: 10, Self.backlog(100, worked: 5)))
        let isNextIn = pacing.endWait(of: next, isLast: true)
        #expect(!isNextIn)
    }

    @Test("the limit is some seconds of the worker's speed, and never below the minimum")
    func speed() {
        var pacing = pacing()
        pacing.worked(Self.backlog(0, worked: 1_000), in: .seconds(1))
        #expect(pacing.limit == 2_000)
        pacing.worked(Self.backlog(0, worked: 1_001), in: .seconds(1_000))
        #expect(pacing.limit == 1_400)
        for number in Int64(2)...100 {
            pacing.worked(Self.backlog(0, worked: 1_000 + number), in: .seconds(1_000))
        }
        #expect(pacing.limit == 100)
    }

    @Test("an outdated notice changes nothing")
    func outdated() {
        var pacing = pacing()
        pacing.worked(Self.backlog(0, worked: 500), in: .seconds(10))
        let ticket = pacing.enter(bytes: 1, Self.backlog(100, worked: 400))
        #expect(ticket.admission == nil)
    }

    @Test(
        "at most the limit and one request wait for the worker, in any order of requests",
        arguments: UInt64(0)..<50)
    func bound(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var pacing = pacing()
        var (unworked, worked) = (Int64(0), Int64(0))
        var arriving: [(ticket: Pacing.Ticket, bytes: Int)] = []
        var waiting: [(ticket: Pacing.Ticket, bytes: Int)] = []
        for _ in 0..<2_000 {
            let latest = Self.backlog(unworked, worked: worked)
            switch numbers.next() % 4 {
            case 0, 1:
                let bytes = Int.random(in: 1...40, using: &numbers)
                let ticket = pacing.enter(bytes: bytes, latest)
                if ticket.admission == nil {
                    arriving.append((ticket, bytes))
                } else {
                    waiting.append((ticket, bytes))
                }
            case 2:
                guard let (ticket, bytes) = arriving.popLast() else { continue }
                unworked += Int64(bytes)
                pacing.leave(
                    ticket, isStored: true, Self.backlog(unworked, worked: worked))
            default:
                let done = Int64.random(in: 0...unworked, using: &numbers)
                (unworked, worked) = (unworked - done, worked + done)
                pacing.worked(Self.backlog(unworked, worked: worked), in: .seconds(100))
                // The others are refused, because they have waited too long.
                for request in waiting where pacing.endWait(of: request.ticket, isLast: true) {
                    arriving.append(request)
                }
                waiting = []
            }
            let inside = unworked + arriving.reduce(0) { $0 + Int64($1.bytes) }
            #expect(inside < pacing.limit + 40)
        }
    }
}

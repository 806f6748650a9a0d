import TestSupport
import Testing

@testable import PostgreSQL

/// The bounds and the order of a pool, without connections.
@Suite("Slots of a pool")
struct SlotQueueTests {
    private final class Token {}

    @Test("requests beyond the limit wait, and are served in the order of their arrival")
    func order() {
        var queue = SlotQueue<Token, Token>(limit: 1)
        let requests = (0..<4).map { _ in Token() }
        guard case .open = queue.admit(requests[0]) else {
            Issue.record("not opened")
            return
        }
        for request in requests.dropFirst() {
            guard case .wait = queue.admit(request) else {
                Issue.record("not waiting")
                return
            }
        }
        let forgotten = [queue.forget(requests[2]), queue.forget(requests[2])]
        #expect(forgotten == [true, false])
        let member = Token()
        let second = queue.add(member)
        #expect(second === requests[1])
        // The connection ends, and the next request opens another one.
        let third = queue.removeOne()
        #expect(third === requests[3])
        #expect(queue.openCount == 1)
    }

    @Test("an unused connection is used before one is opened, unless it was withdrawn")
    func reuse() {
        var queue = SlotQueue<Token, Token>(limit: 2)
        let (first, second) = (Token(), Token())
        _ = queue.admit(Token())
        _ = queue.admit(Token())
        let served = [queue.add(first), queue.add(second)]
        #expect(served.allSatisfy { $0 == nil })
        let withdrawn = [queue.withdraw(second), queue.withdraw(second)]
        #expect(withdrawn == [true, false])
        guard case .use(let used) = queue.admit(Token()) else {
            Issue.record("not used")
            return
        }
        #expect(used === first)
    }

    @Test("any sequence of steps keeps the bounds", arguments: UInt64(0)..<50)
    func bounds(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limit = Int.random(in: 1...4, using: &random)
        var queue = SlotQueue<Token, Token>(limit: limit)
        var inUse: [Token] = []
        for _ in 0..<300 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                switch queue.admit(Token()) {
                case .use(let member): inUse.append(member)
                case .open: inUse.append(Token())
                case .wait: break
                }
            case 2:
                guard let member = inUse.popLast() else { continue }
                if queue.add(member) != nil { inUse.append(member) }
            default:
                guard inUse.popLast() != nil else { continue }
                if queue.removeOne() != nil { inUse.append(Token()) }
            }
            #expect(queue.openCount <= limit)
            #expect(queue.openCount == inUse.count + queue.idle.count)
            #expect(queue.waiting.isEmpty || inUse.count == limit)
        }
    }
}

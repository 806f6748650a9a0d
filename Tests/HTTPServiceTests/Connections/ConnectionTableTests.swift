import TestSupport
import Testing

@testable import HTTPService

@Suite("The connection table", .ownThreads)
struct ConnectionTableTests {
    private let a = ClientAddress("10.0.0.1")
    private let b = ClientAddress("10.0.0.2")
    private let c = ClientAddress("10.0.0.3")

    private func table(total: Int, perClient: Int, reserve: Int) -> ConnectionTable {
        ConnectionTable(.init(total: total, perClient: perClient, reserve: reserve))
    }

    private func busy(
        _ table: inout ConnectionTable, _ client: ClientAddress
    ) throws -> ConnectionTable.ID {
        let id = try #require(table.open(from: client).id)
        table.begin(id)
        return id
    }

    @Test("a client at its limit loses its own longest idle connection")
    func ownIdle() throws {
        var table = table(total: 10, perClient: 2, reserve: 0)
        let other = try #require(table.open(from: b).id)
        let first = try #require(table.open(from: a).id)
        let second = try #require(table.open(from: a).id)
        table.begin(first)
        table.end(first)
        let third = table.open(from: a)
        #expect(third.evicted == second)
        #expect(table.open(from: a).evicted == first)
        #expect(table.open(from: b).evicted == nil)
        #expect(table.hasRequested(other) == false)
        #expect(table.count == 4)
    }

    @Test("a full listener closes a connection of the client with the most")
    func largestClient() throws {
        var table = table(total: 5, perClient: 4, reserve: 0)
        let old = try #require(table.open(from: b).id)
        var others: [ConnectionTable.ID] = []
        for _ in 0..<4 { others.append(try #require(table.open(from: a).id)) }
        let admission = table.open(from: c)
        #expect(admission.evicted == others[0] && admission.evicted != old)
        for id in others.dropFirst() { table.begin(id) }
        #expect(table.open(from: c).evicted == old)
    }

    @Test("a busy connection is never closed, and others are reserved for health checks")
    func reserve() throws {
        var table = table(total: 2, perClient: 2, reserve: 1)
        let first = try busy(&table, a)
        let second = try busy(&table, a)
        for client in [a, b] {
            let admission = table.open(from: client)
            let id = try #require(admission.id)
            #expect(table.isReserved(id))
            #expect(admission.evicted == nil)
            table.begin(id)
            #expect(table.open(from: c).id == nil)
            table.end(id)
            let next = table.open(from: c)
            #expect(next.evicted == id)
            table.close(try #require(next.id))
        }
        table.end(second)
        #expect(table.open(from: c).evicted == second)
        #expect(!table.isReserved(first))
    }

    @Test("overlapping requests are counted")
    func overlapping() throws {
        var table = table(total: 1, perClient: 1, reserve: 0)
        let id = try busy(&table, a)
        table.begin(id)
        table.end(id)
        #expect(table.open(from: a).id == nil)
        table.end(id)
        table.end(id)
        #expect(table.open(from: a).evicted == id)
    }

    @Test("the limits are never exceeded", arguments: 0..<50 as Range<UInt64>)
    func bounds(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let limits = ConnectionTable.Limits(total: 6, perClient: 4, reserve: 2)
        var table = ConnectionTable(limits)
        var open: [ConnectionTable.ID: (client: ClientAddress, requests: Int)] = [:]
        for _ in 0..<2_000 {
            let client = [a, b, c].randomElement(using: &numbers) ?? a
            let some = open.keys.sorted { "\($0)" < "\($1)" }.randomElement(using: &numbers)
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0:
                let admission = table.open(from: client)
                if let evicted = admission.evicted {
                    #expect(open.removeValue(forKey: evicted)?.requests == 0)
                }
                if let id = admission.id {
                    open[id] = (client, 0)
                } else {
                    #expect(open.count >= limits.perClient + limits.reserve)
                }
            case 1:
                guard let some else { continue }
                table.begin(some)
                open[some]?.requests += 1
            case 2:
                guard let some else { continue }
                table.end(some)
                let requests = open[some]?.requests ?? 0
                open[some]?.requests = max(requests - 1, 0)
            default:
                guard let some else { continue }
                table.close(some)
                open[some] = nil
            }
            let normal = open.filter { !table.isReserved($0.key) }
            #expect(table.count == open.count)
            #expect(normal.count <= limits.total && open.count <= limits.sum)
            #expect(
                [a, b, c].allSatisfy { client in
                    normal.count { $0.value.client == client } <= limits.perClient
                })
        }
    }

    @Test(
        "an IPv6 client is identified by its network",
        arguments: [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8::1", "2001:db8:0:0::/64"),
            ("fe80::1:2:3:4", "fe80:0:0:0::/64"), ("::1", "::1"), ("10.0.0.1", "10.0.0.1"),
            ("::ffff:10.0.0.1", "10.0.0.1"), ("", ""),
        ])
    func networks(address: String, client: String) {
        #expect(ClientAddress(address).description == client)
    }
}

import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Asked to stop", .ownThreads)
    struct StopTests {
        @Test("under load it ends cleanly, and acknowledged records are exported before or after")
        func underLoad() async throws {
            let backend = try Backend()
            try await backend.start()
            let site = try Site(exports: [backend.url])
            let ledger = Ledger()
            for round in UInt64(1)...4 {
                let served = try await site.start()
                let load = Load(client: site.client, ledgers: [ledger], number: round)
                let status = await withTaskGroup(of: Void.self) { group in
                    group.addTask { await load.run() }
                    _ = await eventually { ledger.requestCount > Int(round) * 20 }
                    let status = await served.stop()
                    group.cancelAll()
                    return status
                }
                #expect(status == 0)
            }
            let served = try await site.start()
            #expect(
                await eventually {
                    backend.missing(of: ledger.ids).isEmpty
                        && ledger.uids.isSubset(of: backend.uids)
                })
            #expect(await served.stop() == 0)
            await backend.stop()
        }
    }
}

import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Backends that are unreachable", .ownThreads)
    struct DownstreamTests {
        /// The maximum growth of the service's memory while no backend accepts data, in bytes: its
        /// results and fresh entries in memory, one run of the worker, an exporter's batches in
        /// flight, SQLite's caches, and the overhead of debug builds and allocators.
        private static let memoryBound = 256 << 20
        /// Three times the bound in total, so that a service that keeps everything in memory far
        /// exceeds it.
        private static let requestCount = 420

        @Test("get everything when they return, and memory stays bounded")
        func goneAndBack() async throws {
            let backend = try Backend()
            let site = try Site(exports: [backend.url])
            let served = try await site.start()
            let ledger = Ledger()
            let noise = Requests.noise(400_000)
            var sent = 0
            var resident = [try served.residentBytes()]
            for number in 0..<Self.requestCount {
                sent += try await sendMuch(number, noise, site.client, ledger)
                resident.append(try served.residentBytes())
            }
            #expect(sent > 3 * Self.memoryBound)
            let largest = resident.max() ?? 0
            #expect(largest - resident[0] < Self.memoryBound)
            #expect(backend.count == 0)
            try await backend.start()
            #expect(
                await eventually(within: .seconds(300)) {
                    backend.missing(of: ledger.ids).isEmpty
                })
            #expect(await served.stop() == 0)
            await backend.stop()
            let series = stride(from: 0, to: resident.count, by: 60).map {
                "\(resident[$0] >> 20)"
            }
            print(
                """
                backend gone: \(ledger.ids.count) records of \(sent >> 20) MiB kept and sent later; \
                resident memory at most \(largest >> 20) MiB, every 60 requests \
                \(series.joined(separator: ", ")) MiB
                """)
        }

        /// - Returns: The number of bytes sent.
        private func sendMuch(
            _ number: Int, _ noise: Data, _ client: Client, _ ledger: Ledger
        ) async throws -> Int {
            let plain = (0..<5).map { "\(number)-plain-\($0)" }
            let crash = "\(number)-crash"
            let body = try Requests.logs(
                plain.map { Requests.plain($0, body: noise) }
                    + [Requests.crash(crash, in: identity(1))])
            try await client.deliver(logs: body)
            ledger.acknowledge(ids: plain, diagnostics: [crash])
            return body.count
        }

        @Test("delay no other exporter")
        func twoExporters() async throws {
            let (up, down) = (try Backend(), try Backend())
            try await up.start()
            let site = try Site(exports: [down.url, up.url])
            var served = try await site.start()
            let ids = (0..<200).map { "record \($0)" }
            for id in ids {
                let body = try Requests.logs([Requests.crash(id, in: identity(1))])
                try await site.client.deliver(logs: body)
            }
            #expect(await eventually { up.missing(of: ids).isEmpty })
            await served.kill()
            served = try await site.start()
            try await down.start()
            #expect(await eventually { down.missing(of: ids).isEmpty })
            #expect(up.ambiguous(of: ids) == [])
            for id in ids {
                #expect(up.copies(of: id).first?.uid == down.copies(of: id).first?.uid)
            }
            #expect(await served.stop() == 0)
            await up.stop()
            await down.stop()
        }
    }
}

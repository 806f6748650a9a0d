import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Backends that are gone")
    struct DownstreamTests {
        /// How much more memory the service may take than at its start while nobody takes anything,
        /// in bytes: its results and fresh entries in memory, one run of the worker, what an exporter
        /// has under way, SQLite's caches, and what debug builds and allocators add to all of them.
        private static let memoryBound = 256 << 20
        /// Three times of that, so that whoever keeps what comes in is far beyond the bound.
        private static let requestCount = 420

        @Test("that come back get everything, and the memory meanwhile is bounded")
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

        /// - Returns: The size of what was sent, in bytes.
        private func sendMuch(
            _ number: Int, _ noise: Data, _ client: Client, _ ledger: Ledger
        ) async throws -> Int {
            let plain = (0..<5).map { "\(number)-plain-\($0)" }
            let crash = "\(number)-crash"
            let body = try Requests.logs(
                plain.map { Requests.plain($0, body: noise) }
                    + [Requests.crash(crash, in: identity(1))])
            #expect(try await client.send(logs: body).status == 200)
            ledger.acknowledge(ids: plain, diagnostics: [crash])
            return body.count
        }

        @Test("hold nobody else back")
        func twoExporters() async throws {
            let (up, down) = (try Backend(), try Backend())
            try await up.start()
            let site = try Site(exports: [down.url, up.url])
            var served = try await site.start()
            let ids = (0..<200).map { "record \($0)" }
            for id in ids {
                let body = try Requests.logs([Requests.crash(id, in: identity(1))])
                #expect(try await site.client.send(logs: body).status == 200)
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

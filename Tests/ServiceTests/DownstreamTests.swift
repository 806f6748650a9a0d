import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Backends that are gone")
    struct DownstreamTests {
        /// How much more memory the service may take than at its start while nobody takes anything:
        /// its results and fresh entries in memory, some of SQLite's, and what debug builds add; in bytes.
        private static let memoryBound = 320 << 20

        @Test("that come back get everything, and the memory meanwhile is bounded")
        func goneAndBack() async throws {
            let backend = try Backend()
            let site = try Site(exports: [backend.url])
            let served = try await site.start()
            let ledger = Ledger()
            let start = try served.residentBytes()
            let noise = Requests.noise(400_000)
            var sent = 0
            var resident: [Int] = []
            for number in 0..<240 {
                sent += try await sendMuch(number, noise, site.client, ledger)
                resident.append(try served.residentBytes())
            }
            let largest = resident.max() ?? 0
            let largestFirst = resident[..<120].max() ?? 0
            #expect(sent > Self.memoryBound)
            #expect(largest - start < Self.memoryBound)
            // What is kept in memory for exporters was full by then.
            #expect(largest - largestFirst < sent / 4)
            #expect(backend.count == 0)
            try await backend.start()
            #expect(await eventually { backend.missing(of: ledger.ids).isEmpty })
            #expect(await served.stop() == 0)
            await backend.stop()
            print(
                """
                backend gone: \(ledger.ids.count) records of \(sent >> 20) MiB kept and sent later; \
                resident memory \(start >> 20) MiB at the start, at most \(largestFirst >> 20) MiB \
                in the first half, \(largest >> 20) MiB in all
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

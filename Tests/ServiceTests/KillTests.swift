import CallStacks
import Foundation
import HTTPTypes
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Killed at random moments")
    struct KillTests {
        /// How often it is killed; `SYMBOLIST_KILL_ROUNDS` says otherwise.
        private static let rounds = setting("SYMBOLIST_KILL_ROUNDS") ?? 40
        /// What decides about the moments; `SYMBOLIST_KILL_SEED` says otherwise.
        private static let seed = UInt64(setting("SYMBOLIST_KILL_SEED") ?? 1)

        private static func setting(_ name: String) -> Int? {
            ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
        }

        @Test("it loses nothing that it acknowledged, and serves nothing half-written")
        func losesNothing() async throws {
            // Some answers get lost on the way, so that batches are sent again.
            let backend = try Backend { .random(in: 0..<8) == 0 ? .serviceUnavailable : .ok }
            try await backend.start()
            let site = try Site(exports: [backend.url])
            let ledger = Ledger()
            var numbers = SplitMix64(seed: Self.seed)
            for round in 1...Self.rounds {
                try await killOnce(site, ledger, UInt64(round), using: &numbers)
                if round % 10 == 0 { try await expectEverything(of: ledger, site, backend) }
            }
            try await expectAnswersFromBlobs(of: ledger, site)
            await backend.stop()
            print(
                """
                kills: seed \(Self.seed), \(Self.rounds) rounds: \(ledger.requestCount) requests with \
                \(ledger.ids.count) records and \(ledger.uids.count) payloads acknowledged, \
                \(backend.count) copies received, \(ledger.images.count) uploads acknowledged, 0 lost
                """)
        }

        /// Starts the service, sends to it, and kills it somewhere on the way.
        private func killOnce(
            _ site: Site, _ ledger: Ledger, _ round: UInt64, using numbers: inout SplitMix64
        ) async throws {
            if numbers.next() % 6 == 0 {
                // While it starts.
                let served = try site.launch()
                try await Task.sleep(for: .milliseconds(.random(in: 0...250, using: &numbers)))
                return await served.kill()
            }
            let served = try await site.start()
            #expect(site.files(in: "incoming").isEmpty)
            let load = Load(client: site.client, ledger: ledger, number: round)
            let pause = Duration.milliseconds(.random(in: 5...1_000, using: &numbers))
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await load.run() }
                try? await Task.sleep(for: pause)
                await served.kill()
                group.cancelAll()
            }
        }

        /// Lets the service run until everything has come out.
        private func expectEverything(
            of ledger: Ledger, _ site: Site, _ backend: Backend
        ) async throws {
            let served = try await site.start()
            let isComplete = await eventually {
                backend.missing(of: ledger.ids).isEmpty
                    && ledger.uids.isSubset(of: backend.uids)
            }
            #expect(isComplete)
            #expect(backend.missing(of: ledger.ids) == [])
            #expect(ledger.uids.subtracting(backend.uids) == [])
            #expect(backend.ambiguous(of: ledger.diagnosticIDs) == [])
            for image in ledger.images {
                let reply = try await site.client.get("/v1/symbols/\(identity(image))")
                #expect(reply.status == 200, "library \(image) was uploaded")
            }
            #expect(await served.stop() == 0)
        }

        /// Indexes are made again from the blobs, and answer.
        private func expectAnswersFromBlobs(of ledger: Ledger, _ site: Site) async throws {
            try shell(
                """
                find blobs -name '*.zst' | while read -r file; do
                    name=$(printf %s "${file#blobs/}" | tr -d / | cut -c 1-64)
                    test "$(zstd -dcq "$file" | sha256sum | cut -c 1-64)" = "$name"
                done
                rm -rf indexes
                """, in: site.data)
            let served = try await site.start()
            for image in ledger.images {
                let names = try await functions(at: identity(image), site.client)
                #expect(names == ["ripen"], "library \(image) answers")
            }
            #expect(await served.stop() == 0)
        }

        /// The names of the functions that a crash in an image is symbolicated to.
        private func functions(at image: ImageID, _ client: Client) async throws -> Set<String> {
            let frame =
                #"{"binaryName":"Fig","binaryUUID":"\#(image)","offsetIntoBinaryTextSegment":\#(functionOffset),"address":4312150040}"#
            let payload =
                #"{"crashDiagnostics":[{"version":"1.0.0","callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\#(frame)]}]},"diagnosticMetaData":{"signal":11}}]}"#
            let reply = try await client.post(
                "/v1/symbolicate?format=json", Array(payload.utf8), type: "application/json")
            let text = String(decoding: reply.body, as: UTF8.self)
            let names = text.matches(of: /"function": ?"([^"]*)"/).map { String($0.output.1) }
            return Set(names)
        }
    }
}

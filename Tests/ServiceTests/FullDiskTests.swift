import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("A full disk", .ownThreads)
    struct FullDiskTests {
        /// A queue larger than the disk, unlike that of the default settings.
        private static let largeQueue = ["LIMITS_QUEUE_BYTES": "1GiB"]

        @Test(
            "refuses requests with 503, damages nothing, and recovers when there is space",
            .enabled(if: SmallDisk.isAllowed))
        func smallDisk() async throws {
            let backend = try Backend()
            let site = try Site(exports: [backend.url], settings: Self.largeQueue)
            let disk = try SmallDisk(at: site.data)
            let served = try await site.start()
            try disk.fill(leaving: 16 << 20)
            try await expectRefusalAndRecovery(site, served, backend) { try disk.release() }
            disk.unmount()
        }

        @Test(
            "in the form of a limit on file sizes, if mounting is not permitted: 503, and recovery",
            .enabled(if: !SmallDisk.isAllowed))
        func fileLimit() async throws {
            let backend = try Backend()
            let site = try Site(exports: [backend.url], settings: Self.largeQueue)
            // In blocks of 512 bytes; a write beyond it must fail instead of ending the process.
            let served = try await site.start(prefix: "trap '' XFSZ; ulimit -S -f 16384")
            try await expectRefusalAndRecovery(site, served, backend) {
                try served.liftFileLimit()
            }
        }

        private func expectRefusalAndRecovery(
            _ site: Site, _ served: Served, _ backend: Backend, makeRoom: () throws -> Void
        ) async throws {
            let ledger = Ledger()
            try expectRefusal(try #require(try await fill(site.client, ledger)))
            // More than the disk had left before: the database may free some of what it took.
            try expectRefusal(try await site.client.upload([UInt8](Requests.noise(20 << 20))))
            #expect(try await site.client.get("/healthz").status == 200)
            try makeRoom()
            #expect(try await site.client.send(logs: Self.body("late")).status == 200)
            #expect(try await site.client.upload(library(1)).status == 201)
            ledger.acknowledge(ids: ["late"], diagnostics: [])
            await served.kill()
            let again = try await site.start()
            try await backend.start()
            #expect(await eventually { backend.missing(of: ledger.ids).isEmpty })
            #expect(try await site.client.get("/v1/symbols/\(identity(1))").status == 200)
            #expect(site.files(in: "incoming").isEmpty)
            #expect(await again.stop() == 0)
            await backend.stop()
            print("full disk: \(ledger.ids.count) records kept before and after it")
        }

        private func expectRefusal(_ reply: Client.Reply) throws {
            #expect(reply.status == 503)
            #expect(reply.retryAfter.flatMap { Int($0) } ?? 0 > 0)
            let text = reply.text
            #expect(Self.causes.contains { text.contains($0) }, "\(text)")
        }

        /// The reasons in responses about writes that failed for lack of space or because of a
        /// limit on file sizes.
        private static let causes = [
            "disk is full", "no space left on device", "disk of", "file too large",
        ]

        /// Sends requests until they are refused.
        private func fill(
            _ client: Client, _ ledger: Ledger, named name: String = "record"
        ) async throws -> Client.Reply? {
            for number in 0..<2_000 {
                let id = "\(name) \(number)"
                let reply = try await client.send(logs: Self.body(id))
                guard reply.status == 200 else { return reply }
                ledger.acknowledge(ids: [id], diagnostics: [])
            }
            return nil
        }

        private static func body(_ id: String) throws -> [UInt8] {
            try Requests.logs([
                Requests.plain(id, body: Requests.noise(100_000)),
                Requests.crash("\(id) crash", in: identity(1)),
            ])
        }

        @Test(
            "filled by the service's own queue recovers once the receiver is back, without a restart",
            .enabled(if: SmallDisk.isAllowed))
        func ownQueue() async throws {
            let backend = try Backend()
            let site = try Site(exports: [backend.url], settings: Self.largeQueue)
            let disk = try SmallDisk(at: site.data)
            let served = try await site.start()
            for round in 0..<3 {
                let ledger = Ledger()
                let refusal = try #require(
                    try await fill(site.client, ledger, named: "round \(round)"))
                try expectRefusal(refusal)
                try await backend.start()
                #expect(await eventually { backend.missing(of: ledger.ids).isEmpty })
                #expect(await isTaken("again \(round)", by: site.client))
                await backend.stop()
            }
            #expect(await served.stop() == 0)
            disk.unmount()
        }

        private func isTaken(_ id: String, by client: Client) async -> Bool {
            await eventually { (try? await client.send(logs: Self.body(id)))?.status == 200 }
        }

        @Test(
            "filled by another program to the last byte stops no delivery, and recovers",
            .enabled(if: SmallDisk.isAllowed))
        func otherProgram() async throws {
            let backend = try Backend()
            let site = try Site(exports: [backend.url])
            let disk = try SmallDisk(at: site.data)
            let served = try await site.start()
            let ledger = Ledger()
            for number in 0..<5 {
                #expect(try await site.client.send(logs: Self.body("\(number)")).status == 200)
                ledger.acknowledge(ids: ["\(number)"], diagnostics: ["\(number) crash"])
            }
            try disk.fill()
            try expectRefusal(try await site.client.send(logs: Self.body("refused")))
            try expectRefusal(try await site.client.upload(library(1)))
            try await backend.start()
            #expect(await eventually { backend.missing(of: ledger.ids).isEmpty })
            try disk.release()
            #expect(await isTaken("late", by: site.client))
            #expect(try await site.client.upload(library(1)).status == 201)
            #expect(backend.missing(of: ["refused"]) == ["refused"])
            #expect(await served.stop() == 0)
            await backend.stop()
            disk.unmount()
        }

        @Test(
            "is survived by a service that is killed and started on it with a renamed exporter",
            .enabled(if: SmallDisk.isAllowed))
        func killedAndStarted() async throws {
            let backend = try Backend()
            let site = try Site(exports: [backend.url])
            let disk = try SmallDisk(at: site.data)
            let ledger = Ledger()
            var served = try await site.start()
            _ = try await fill(site.client, ledger)
            for round in 1...3 {
                try disk.fill()
                await served.kill()
                // It waits for space, or is ready and refuses.
                served = try site.launch(settings: ["EXPORT_0_NAME": "renamed\(round)"])
                try await Task.sleep(for: .milliseconds(200))
                #expect(!served.hasEnded)
                try disk.release()
            }
            try await backend.start()
            #expect(await eventually { backend.missing(of: ledger.ids).isEmpty })
            #expect(await isTaken("late", by: site.client))
            #expect(await served.stop() == 0)
            await backend.stop()
            disk.unmount()
        }

        @Test(
            "makes a new service wait at its start", .enabled(if: SmallDisk.isAllowed)
        )
        func firstStart() async throws {
            let site = try Site(exports: [])
            let disk = try SmallDisk(at: site.data)
            try disk.fill()
            let served = try site.launch()
            #expect(
                await eventually {
                    let log = (try? String(contentsOf: served.log, encoding: .utf8)) ?? ""
                    return log.contains("waiting for disk space") || served.hasEnded
                })
            #expect(!served.hasEnded)
            try disk.release()
            #expect(await isTaken("first", by: site.client))
            #expect(await served.stop() == 0)
            disk.unmount()
        }
    }

    /// A file system of a few megabytes.
    private final class SmallDisk: Sendable {
        private let path: String

        /// Whether mounting is permitted, which requires privileges.
        static let isAllowed = {
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("symbolist-\(UUID().uuidString)")
            try? FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            guard let disk = try? SmallDisk(at: folder) else { return false }
            disk.unmount()
            return true
        }()

        init(at folder: URL) throws {
            path = folder.path
            try shell(
                "mount -t tmpfs -o size=32m tmpfs '\(path)'",
                in: folder.deletingLastPathComponent())
        }

        /// Fills the disk like another program, except for some bytes.
        func fill(leaving bytes: Int = 0) throws {
            let free = bytes == 0 ? "" : "truncate -s -\(bytes) ballast"
            try shell("cat /dev/zero > ballast 2>&1 || true; \(free)", in: folder)
        }

        func release() throws { try shell("rm ballast", in: folder) }

        private var folder: URL { URL(fileURLWithPath: path) }

        func unmount() {
            try? shell("umount '\(path)'", in: folder.deletingLastPathComponent())
        }

        deinit { if !path.isEmpty { unmount() } }
    }
}

import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("A full disk")
    struct FullDiskTests {
        @Test(
            "is answered with 503, damages nothing, and is forgotten when there is room",
            .enabled(if: SmallDisk.isAllowed))
        func smallDisk() async throws {
            let backend = try Backend()
            let site = try Site(exports: [backend.url])
            let disk = try SmallDisk(at: site.data)
            let ballast = site.data.appendingPathComponent("ballast")
            try Data(count: 8 << 20).write(to: ballast)
            let served = try await site.start()
            try await expectRefusalAndRecovery(site, served, backend) {
                try FileManager.default.removeItem(at: ballast)
            }
            disk.unmount()
        }

        @Test(
            "in the form of a limit on files, where nothing may be mounted: 503, and recovery",
            .enabled(if: !SmallDisk.isAllowed))
        func fileLimit() async throws {
            let backend = try Backend()
            let site = try Site(exports: [backend.url])
            // In blocks of 512 bytes; a write beyond it is to fail and not to kill.
            let served = try await site.start(prefix: "trap '' XFSZ; ulimit -S -f 16384")
            try await expectRefusalAndRecovery(site, served, backend) {
                try served.liftFileLimit()
            }
        }

        private func expectRefusalAndRecovery(
            _ site: Site, _ served: Served, _ backend: Backend, makeRoom: () throws -> Void
        ) async throws {
            let ledger = Ledger()
            let refusal = try #require(try await fill(site.client, ledger))
            #expect(refusal.status == 503)
            #expect(refusal.retryAfter.flatMap { Int($0) } ?? 0 > 0)
            let upload = try await site.client.upload([UInt8](Requests.noise(4 << 20)))
            #expect(upload.status == 503)
            #expect(upload.retryAfter.flatMap { Int($0) } ?? 0 > 0)
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
            print("full disk: \(ledger.ids.count) records kept before and after it, 0 lost")
        }

        /// Sends until nothing more is taken.
        private func fill(_ client: Client, _ ledger: Ledger) async throws -> Client.Reply? {
            for number in 0..<2_000 {
                let reply = try await client.send(logs: Self.body("\(number)"))
                guard reply.status == 200 else { return reply }
                ledger.acknowledge(ids: ["\(number)"], diagnostics: [])
            }
            return nil
        }

        private static func body(_ id: String) throws -> [UInt8] {
            try Requests.logs([Requests.plain(id, body: Requests.noise(100_000))])
        }
    }

    /// A file system of a few megabytes.
    private final class SmallDisk: Sendable {
        private let path: String

        /// Only a privileged process may mount.
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

        func unmount() {
            try? shell(
                "umount '\(path)'", in: URL(fileURLWithPath: path).deletingLastPathComponent())
        }

        deinit { if !path.isEmpty { unmount() } }
    }
}

import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Exporters under other names", .ownThreads)
    struct RenamedExporterTests {
        private let ids = (0..<50).map { "record \($0)" }

        private func send(_ ids: [String], to site: Site) async throws {
            for id in ids {
                let body = try Requests.logs([Requests.plain(id)])
                try await site.client.deliver(logs: body)
            }
        }

        private func exporter(_ number: Int, _ url: String) -> [String: String] {
            Site.exporter(number, url: url, name: nil)
        }

        private func log(of site: Site) throws -> String {
            try String(contentsOf: site.folder.appendingPathComponent("log"), encoding: .utf8)
        }

        private func exporters(_ arguments: String..., site: Site) async throws -> Int32 {
            let run = try Served(
                [executable, "exporters"] + arguments + ["--data", site.data.path],
                environment: [:], log: site.folder.appendingPathComponent("exporters"))
            return await run.status
        }

        @Test("a corrected URL inherits the backlog, and a trailing slash is the same exporter")
        func correctedURL() async throws {
            let backend = try Backend()
            let site = try Site(exports: [])
            let wrong = "http://127.0.0.1:\(try freePort())"
            var served = try await site.start(settings: exporter(0, wrong))
            try await send(ids, to: site)
            await served.kill()
            served = try await site.start(settings: exporter(0, backend.url + "/"))
            #expect(try log(of: site).contains("continues from the cursor of '\(wrong)'"))
            #expect(try log(of: site).contains("50 records"))
            try await send(["later"], to: site)
            await served.kill()
            served = try await site.start(settings: exporter(0, backend.url))
            try await backend.start()
            #expect(await eventually { backend.missing(of: ids + ["later"]).isEmpty })
            #expect(await served.stop() == 0)
            await backend.stop()
        }

        @Test("the backlog of two renamed exporters stays, is logged, and can be dropped")
        func twoRenamed() async throws {
            let site = try Site(exports: [])
            let old = try (0..<2).map { _ in "http://127.0.0.1:\(try freePort())" }
            let new = try (0..<2).map { _ in "http://127.0.0.1:\(try freePort())" }
            func settings(_ urls: [String]) -> [String: String] {
                exporter(0, urls[0]).merging(exporter(1, urls[1])) { $1 }
            }
            var served = try await site.start(settings: settings(old))
            try await send(ids, to: site)
            await served.kill()
            served = try await site.start(settings: settings(new))
            for name in old {
                #expect(try log(of: site).contains("exporter '\(name)': not configured"))
                #expect(try log(of: site).contains("symbolist exporters drop \(name)"))
            }
            #expect(try await exporters("list", site: site) == 1, "the service has the folder")
            await served.kill()
            #expect(try await exporters("drop", old[0], "unknown", site: site) == 1)
            #expect(try await exporters("drop", old[0], site: site) == 3)
            #expect(try await exporters("list", site: site) == 0)
            let backend = try Backend()
            try await backend.start()
            // The name identifies the cursor, whatever the URL.
            served = try await site.start(
                settings: exporter(0, backend.url).merging(["EXPORT_0_NAME": old[1]]) { $1 })
            #expect(await eventually { backend.missing(of: ids).isEmpty })
            #expect(await served.stop() == 0)
            await backend.stop()
        }

        @Test("entries stored without any exporter are sent to one that is added later")
        func addedLater() async throws {
            let backend = try Backend()
            try await backend.start()
            let site = try Site(exports: [])
            var served = try await site.start()
            try await send(ids, to: site)
            #expect(await served.stop() == 0)
            served = try await site.start(settings: exporter(0, backend.url))
            #expect(await eventually { backend.missing(of: ids).isEmpty })
            #expect(await served.stop() == 0)
            await backend.stop()
        }
    }
}

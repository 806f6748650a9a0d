import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    /// The alert rules of `Documentation/alerts.yaml`.
    @Suite("Alerts", .ownThreads)
    struct AlertTests {
        private static let rules = projectFolder.appendingPathComponent("Documentation/alerts.yaml")

        private func promtool(_ arguments: String...) throws -> FinishedProgram {
            try FinishedProgram("promtool", arguments, in: projectFolder)
        }

        /// Whether promtool is installed, or required.
        private static let hasPromtool =
            FileManager.default.isExecutableFile(atPath: "/usr/bin/promtool")
            || ProcessInfo.processInfo.environment["REQUIRE_PEERS"] == "1"

        @Test(
            "promtool accepts the rules, and they fire when they should", .enabled(if: hasPromtool))
        func accepted() throws {
            let check = try promtool("check", "rules", "Documentation/alerts.yaml")
            #expect(check.status == 0, "\(check.output)")
            let test = try promtool("test", "rules", "Tests/Alerts/alerts.test.yaml")
            #expect(test.status == 0, "\(test.output)")
        }

        @Test("every metric of the rules is exported")
        func exported() async throws {
            let text = try String(contentsOf: Self.rules, encoding: .utf8)
            // Series of a histogram are named after it.
            let names = Set(text.matches(of: /symbolist_[a-z_]+/).map { String($0.output) })
                .map { $0.hasSuffix("_bucket") ? String($0.dropLast("_bucket".count)) : $0 }
            #expect(names.count > 10)
            let backend = try Backend()
            try await backend.start()
            let site = try Site(exports: [backend.url])
            let service = try await site.start()
            let body = try Requests.logs([Requests.plain("1")])
            try await site.client.deliver(logs: body)
            let isComplete = await eventually {
                guard let reply = try? await site.client.get("/metrics"),
                    let exposition = try? Exposition(reply.text)
                else { return false }
                return names.allSatisfy { exposition.families[$0] != nil }
            }
            let reply = try await site.client.get("/metrics")
            let families = try Exposition(reply.text).families
            #expect(isComplete, "\(names.filter { families[$0] == nil })")
            let own = families.filter { $0.key.hasPrefix("symbolist_") }
            #expect(own.allSatisfy { $0.value.meaning != nil }, "\(own.keys)")
            #expect(await service.stop() == 0)
            await backend.stop()
        }
    }
}

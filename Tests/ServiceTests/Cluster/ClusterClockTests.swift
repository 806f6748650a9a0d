import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Nodes with wrong clocks", .ownThreads)
    struct ClusterClockTests {
        /// A line of shell that runs the program with another wall clock.
        ///
        /// When libfaketime is loaded first, it adds a variable to the environment, after which
        /// Swift finds no arguments. So it is loaded into `env` first.
        private static func clock(_ offset: String) -> String {
            """
            export FAKETIME=\(offset) FAKETIME_DONT_FAKE_MONOTONIC=1 \
            LD_PRELOAD=$(ls /usr/lib/*/faketime/libfaketimeMT.so.1); exec env "$0" "$@"
            """
        }

        @Test("a day before and after: all arrives, once more with symbols, at the database's time")
        func wrongDays() async throws {
            let cluster = try await TestCluster(nodes: 2)
            let (backend, sites) = (cluster.backend, cluster.sites)
            let start = Date()
            var nodes = try await [
                sites[0].start(prefix: Self.clock("+1d")),
                sites[1].start(prefix: Self.clock("-1d")),
            ]
            let ids = ["early", "late"]
            for (site, id) in zip(sites, ids) {
                let body = try Requests.logs([Requests.crash(id, in: identity(1))])
                #expect(try await site.client.send(logs: body).status == 200)
            }
            #expect(await eventually { backend.missing(of: ids).isEmpty })
            #expect(try await sites[0].client.upload(library(1)).status == 201)
            #expect(await eventually { backend.rawOnes(of: ids).isEmpty })
            for id in ids { #expect(backend.copies(of: id).map(\.revision) == [1, 2], "\(id)") }

            let listed = try await sites[1].client.get("/v1/diagnostics").object()
            let diagnostics = listed["diagnostics"] as? [[String: Any]] ?? []
            #expect(diagnostics.count == 2)
            for diagnostic in diagnostics {
                let arrival = try #require(diagnostic["received_at"] as? String)
                let moment = try Date(
                    arrival,
                    strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
                #expect(abs(moment.timeIntervalSince(start)) < 3_600, "\(arrival)")
            }
            // The lane of a node that is gone is adopted after its lease, neither before nor a day later.
            await backend.stop()
            let body = try Requests.logs([Requests.plain("left")])
            #expect(try await sites[0].client.send(logs: body).status == 200)
            await nodes.removeFirst().kill()
            try await backend.start()
            #expect(await eventually { !backend.copies(of: "left").isEmpty })
            for node in nodes { #expect(await node.stop() == 0) }
            await cluster.end()
        }
    }
}

import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("A node that loses its lane", .ownThreads)
    struct LostLaneTests {
        @Test("refuses the request that is under way over HTTP, and continues with another lane")
        func http() async throws {
            try await expectRefusal { site, body in
                let reply = try await site.client.send(logs: body)
                #expect(reply.status == 503)
                #expect(reply.retryAfter == "5")
            }
        }

        @Test(
            "refuses the call that is under way over gRPC, and continues with another lane",
            .enabled(if: Peers.areWanted))
        func grpc() async throws {
            try await expectRefusal { site, body in
                let status = try await Peers.output(
                    "export.py",
                    ["127.0.0.1:\(site.grpcPort)", Data(body).base64EncodedString()])
                #expect(status == "UNAVAILABLE True\n")
            }
        }

        /// The number of appends for which the database makes a node wait.
        private static let waitingAppends = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO entry%'
            """

        /// Sends a request to a node that loses its lane before it can append the request.
        private func expectRefusal(
            of send: @escaping @Sendable (Site, [UInt8]) async throws -> Void
        ) async throws {
            let cluster = try await TestCluster(nodes: 1)
            let site = cluster.sites[0]
            let node = try await site.start()
            let body = try Requests.logs([Requests.plain("refused")])
            try await cluster.whileAppendsWait {
                let refusal = Task { try await send(site, body) }
                #expect(
                    await eventually { (try? await cluster.run(Self.waitingAppends)) == 1 })
                try await cluster.run(
                    "UPDATE lane SET epoch = epoch + 1, node = NULL, until = now()")
                try await refusal.value
            }
            #expect(await eventually { (try? await site.client.get("/readyz"))?.status == 200 })
            let next = try Requests.logs([Requests.plain("accepted")])
            #expect(try await site.client.send(logs: next).status == 200)
            #expect(await eventually { !cluster.backend.copies(of: "accepted").isEmpty })
            #expect(cluster.backend.copies(of: "refused").isEmpty)
            #expect(await node.stop() == 0)
            await cluster.end()
        }
    }
}

import PostgreSQLSupport
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Nodes whose database has a full disk", .ownThreads)
    struct ClusterDiskTests {
        @Test("they refuse requests while the server's disk is full, and send what they have")
        func fullDisk() async throws {
            // The last write before the limit is incomplete, which PostgreSQL takes for a full disk.
            let server = try TestServer(fileSizeLimit: 20 << 20 + 512)
            let cluster = try await TestCluster(nodes: 1, database: server)
            let client = cluster.sites[0].client
            let node = try await cluster.sites[0].start(settings: ["LIMITS_QUEUE_BYTES": "1GiB"])
            var accepted: [String] = []
            var refusal: Client.Reply?
            for number in 0..<400 where refusal == nil {
                let id = "record \(number)"
                let body = try Requests.logs([
                    Requests.plain(id, body: Requests.noise(200_000 + number))
                ])
                let reply = try await client.send(logs: body)
                if reply.status == 200 { accepted.append(id) } else { refusal = reply }
            }
            #expect(refusal?.status == 503)
            #expect(refusal?.retryAfter != nil)
            let text = refusal?.text ?? ""
            #expect(text.contains("disk is full") || text.contains("could not extend"), "\(text)")
            #expect(await eventually { cluster.backend.missing(of: accepted).isEmpty })
            try server.liftFileSizeLimit()
            let late = try Requests.logs([
                Requests.plain("late", body: Requests.noise(200_000))
            ])
            #expect(await eventually { (try? await client.send(logs: late))?.status == 200 })
            #expect(await eventually { !cluster.backend.copies(of: "late").isEmpty })
            #expect(await node.stop() == 0)
            await cluster.end()
        }
    }
}

import CallStacks
import Foundation
import TestSupport
import Testing

/// A data folder of an embedded service that is filled, moved, and served by a node.
final class MoveTrial {
    private let cluster: TestCluster
    private let embedded: Site
    private var before: [String: NSObject] = [:]
    private let command: CommandLineClient

    /// The lists that a node must answer as the embedded service did, with their key.
    private static let lists = [
        "/v1/diagnostics": "diagnostics", "/v1/missing": "missing", "/v1/symbols": "files",
        "/v1/builds": "builds", "/v1/metrics/versions": "versions",
    ]

    /// Records that were not exported when the service stopped.
    private let unsent = (0..<5).map { "unsent \($0)" }

    init() async throws {
        cluster = try await TestCluster(nodes: 1)
        embedded = try Site(exports: [cluster.backend.url])
        command = try CommandLineClient(cluster.environment)
    }

    private var backend: Backend { cluster.backend }

    /// Runs an embedded service that has every kind of contents, and stops it.
    func fillFolder() async throws {
        let served = try await embedded.start()
        let client = embedded.client
        let files = try Requests.orchardFiles()
        // Waits for symbols that arrive in two steps.
        try await client.deliver(logs: Requests.fixtureCrash("steps"))
        for (number, id) in [(UInt64(1), "missing"), (2, "found"), (1, "missing too")] {
            let crash = Requests.crash(id, in: identity(number))
            try await client.deliver(logs: try Requests.logs([crash]))
        }
        let payload = try Requests.payload(7)
        let posted = try await client.post("/v1/metrickit", payload, type: "application/json")
        #expect(posted.status == 202)
        let sent = ["steps", "missing", "found", "missing too"]
        #expect(await eventually { backend.missing(of: sent).isEmpty })
        for file in [files[0], library(2)] { #expect(try await client.upload(file).status == 201) }
        #expect(await eventually { backend.copies(of: "found").map(\.revision) == [1, 2] })
        #expect(await eventually { backend.copies(of: "steps").count == 2 })
        await backend.stop()
        for id in unsent {
            let record = Requests.plain(id)
            try await client.deliver(logs: try Requests.logs([record]))
        }
        let last = Requests.crash("unsent crash", in: identity(3))
        try await client.deliver(logs: try Requests.logs([last]))
        // The framework of the fixture, and three libraries: the second one has only a symbol table.
        let missing = { try? await self.listed("/v1/missing?scope=app", "missing", client) }
        let isComplete = await eventually { await missing()?.count == 4 }
        let listed = String(describing: await missing())
        #expect(isComplete, "\(listed)")
        for (path, key) in Self.lists { before[path] = try await list(path, key, client) }
        #expect(await served.stop() == 0)
    }

    private func listed(_ path: String, _ key: String, _ client: Client) async throws -> [Any]? {
        try await client.get(path).object()[key] as? [Any]
    }

    /// Returns the elements of a list. Entries have other numbers in the lane, images with as many
    /// diagnostics have another order, and lookups use debug files.
    private func list(_ path: String, _ key: String, _ client: Client) async throws -> NSObject {
        let list = try #require(try await listed(path, key, client), "\(path)")
        return NSCountedSet(
            array: list.map { element in
                (element as? [String: Any])?.filter {
                    !["address", "last_used_at"].contains($0.key)
                } ?? element
            })
    }

    func move() async throws -> CommandRun {
        try await command.run("move", embedded.data.path)
    }

    /// Kills a move some time after its start.
    ///
    /// - Returns: Whether it had ended before.
    func moveKilled(after time: Duration) async throws -> Bool {
        let run = try command.start(["move", embedded.data.path])
        try await Task.sleep(for: time)
        await run.kill()
        return try await run.end().status == 0
    }

    func expectSameOnNode() async throws {
        let site = try #require(cluster.sites.first)
        let node = try await site.start()
        for (path, key) in Self.lists {
            let expected = try #require(before[path])
            // A start looks up again what waits for the library with only a symbol table.
            var found: NSObject?
            _ = await eventually {
                found = try? await self.list(path, key, site.client)
                return found == expected
            }
            #expect(found == expected, "\(path)")
        }
        try await backend.start()
        let ids = unsent + ["unsent crash"]
        #expect(await eventually { backend.missing(of: ids).isEmpty })
        #expect(ids.filter { backend.copies(of: $0).count != 1 } == [])

        let repeated = try await site.client.post(
            "/v1/metrickit", try Requests.payload(7), type: "application/json")
        #expect(repeated.status == 202)
        for file in [try Requests.orchardFiles()[1], library(1)] {
            #expect(try await site.client.upload(file).status == 201)
        }
        #expect(await eventually { backend.copies(of: "missing").count == 2 })
        #expect(await eventually { backend.copies(of: "missing too").count == 2 })
        #expect(await eventually { backend.copies(of: "steps").count == 3 })
        #expect(backend.copies(of: "steps").map(\.revision) == [1, 2, 3])
        #expect(backend.copies(of: "missing").map(\.revision) == [1, 2])
        #expect(backend.copies(of: "found").map(\.revision) == [1, 2])
        #expect(backend.conflicts == [])
        #expect(await node.stop() == 0)
    }

    func end() async throws { await cluster.end() }
}

import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Nodes whose bucket fails", .ownThreads)
    struct ClusterBucketTests {
        /// Two nodes whose bucket is behind a proxy, and that wait for no index.
        private struct Nodes {
            let cluster: TestCluster
            let proxy: StorageProxy
            private let settings: [String: String]
            private(set) var running: [Served]

            /// - Parameters:
            ///   - settings: Settings in addition to those for the bucket.
            ///   - fault: The bucket's fault while the nodes start.
            init(
                settings more: [String: String] = [:], startingWith fault: StorageProxy.Fault? = nil
            ) async throws {
                cluster = try await TestCluster(nodes: 2)
                proxy = try await StorageProxy(to: cluster.storageEndpoint)
                proxy.fault = fault
                settings = more.merging(
                    ["BLOBS_ENDPOINT": proxy.url, "CACHE_WAIT": "100ms"], uniquingKeysWith: { $1 })
                running = try await [
                    cluster.sites[0].start(settings: settings),
                    cluster.sites[1].start(settings: settings),
                ]
            }

            var clients: [Client] { cluster.sites.map(\.client) }

            func send(_ id: String, wanting number: UInt64, to node: Int) async throws {
                let body = try Requests.logs([Requests.crash(id, in: identity(number))])
                try await clients[node].deliver(logs: body)
            }

            func statuses(of id: String) -> [String?] {
                cluster.backend.copies(of: id).map(\.status)
            }

            /// Waits until no diagnostic is to be sent again, and everything is exported.
            func waitUntilNothingIsDue() async throws {
                let due = "SELECT (SELECT count(*) FROM awakening) + (SELECT count(*) FROM resend)"
                #expect(await eventually { (try? await cluster.run(due)) == 0 })
                let site = cluster.sites[0]
                #expect(await eventually { (try? await cluster.waitingCount(from: site)) == 0 })
            }

            /// Sends to all nodes until the task is cancelled.
            func load(recordingIn ledger: Ledger) async {
                await withTaskGroup(of: Void.self) { group in
                    for (number, client) in clients.enumerated() {
                        let load = Load(
                            client: client, ledgers: [ledger], number: UInt64(number) + 1)
                        group.addTask { await load.run() }
                    }
                }
            }

            /// Waits until every diagnostic is in the archive.
            func waitUntilArchived() async {
                let waiting =
                    "SELECT count(*) FROM lane l LEFT JOIN archive_cursor a ON a.lane = l.id "
                    + "WHERE coalesce(a.place, l.id::int8 << 48) < l.tail"
                #expect(await eventually { (try? await cluster.run(waiting)) == 0 })
            }

            mutating func stopLast() async {
                #expect(await running.removeLast().stop() == 0)
            }

            mutating func killFirst() async throws {
                await running[0].kill()
                running[0] = try await cluster.sites[0].start(settings: settings)
            }

            func end() async {
                for node in running { #expect(await node.stop() == 0) }
                await cluster.end()
                await proxy.stop()
            }
        }

        @Test("they accept and send while it is away or refuses, and symbols are missing for now")
        func away() async throws {
            let nodes = try await Nodes()
            let (proxy, clients) = (nodes.proxy, nodes.clients)
            #expect(try await clients[0].upload(library(1)).status == 201)
            let faults: [StorageProxy.Fault] = [
                .away, .error(500, code: "InternalError"), .error(503, code: "SlowDown"),
                .error(403, code: "AccessDenied"),
            ]
            // Each upload tries for some seconds, and so all try at once.
            proxy.fault = .away
            for (number, fault) in faults.enumerated() {
                proxy.fault = fault
                let id = "crash \(number)"
                // The first node has the index, and the second one cannot fetch it.
                try await nodes.send(id, wanting: 1, to: number % 2)
                #expect(await eventually { !nodes.statuses(of: id).isEmpty })
            }
            #expect(nodes.statuses(of: "crash 0") == ["symbolicated"])
            #expect(nodes.statuses(of: "crash 1") == ["raw"])
            try await Self.expectRefusal(of: library(2), by: clients[1])
            try await nodes.send("waiting", wanting: 2, to: 0)
            #expect(await eventually { nodes.statuses(of: "waiting") == ["raw"] })

            proxy.fault = nil
            #expect(try await clients[1].upload(library(2)).status == 201)
            for id in ["crash 1", "crash 3", "waiting"] {
                #expect(
                    await eventually { nodes.statuses(of: id).last == "symbolicated" }, "\(id)")
            }
            #expect(proxy.conditionalCount == 0)
            await nodes.end()
        }

        @Test("they start while it refuses, and say so in the log")
        func refusing() async throws {
            let nodes = try await Nodes(startingWith: .error(403, code: "AccessDenied"))
            for node in nodes.running {
                let isLogged = await eventually {
                    let log = try? String(contentsOf: node.log, encoding: .utf8)
                    return log?.contains("blobs: the bucket cannot be listed") == true
                }
                #expect(isLogged)
            }
            try await nodes.send("crash", wanting: 1, to: 0)
            #expect(await eventually { nodes.statuses(of: "crash") == ["raw"] })
            await nodes.end()
        }

        /// The length of an outage in seconds; `SYMBOLIST_BUCKET_AWAY` overrides it.
        private static let outage = Duration.seconds(setting("SYMBOLIST_BUCKET_AWAY") ?? 5)
        /// A library that no load uploads.
        private static let ownLibrary: UInt64 = 1 << 40

        @Test("they lose nothing under load while it is away, and refuse uploads")
        func awayUnderLoad() async throws {
            let nodes = try await Nodes(settings: ["ARCHIVE_DELAY": "1s"])
            let ledger = Ledger()
            let load = Task { await nodes.load(recordingIn: ledger) }
            #expect(await eventually { ledger.images.count >= 8 })
            nodes.proxy.fault = .away
            let ids = try await Self.outlast(nodes)
            nodes.proxy.fault = nil
            #expect(try await nodes.clients[0].upload(library(Self.ownLibrary)).status == 201)
            load.cancel()
            await load.value
            await nodes.cluster.expectEverything(of: ledger)
            #expect(await eventually { nodes.cluster.backend.rawOnes(of: ids).isEmpty })
            await nodes.waitUntilArchived()
            await nodes.end()
            print("bucket away: \(ids.count) refused uploads, \(nodes.cluster.summary(of: ledger))")
        }

        /// Sends diagnostics, which must be exported, and uploads, which must be refused, for the
        /// length of an outage.
        ///
        /// - Returns: The identifiers of the diagnostics.
        private static func outlast(_ nodes: Nodes) async throws -> [String] {
            let end = ContinuousClock.now + outage
            var ids: [String] = []
            repeat {
                let id = "away \(ids.count)"
                try await nodes.send(id, wanting: ownLibrary, to: ids.count % 2)
                #expect(await eventually { nodes.statuses(of: id).first == "raw" }, "\(id)")
                try await expectRefusal(
                    of: library(ownLibrary), by: nodes.clients[ids.count % 2])
                ids.append(id)
            } while ContinuousClock.now < end
            return ids
        }

        private static func expectRefusal(of file: [UInt8], by client: Client) async throws {
            let refused = try await client.upload(file)
            #expect(refused.status == 503)
            #expect(refused.retryAfter != nil)
            let text = refused.text
            #expect(text.contains("s3://"), "\(text)")
        }

        @Test("they use no wrong bytes, and build an index that the bucket has damaged")
        func wrongBytes() async throws {
            let nodes = try await Nodes()
            let proxy = nodes.proxy
            #expect(try await nodes.clients[0].upload(library(1)).status == 201)
            proxy.fault = .wrongBytes
            try await nodes.send("damaged", wanting: 1, to: 1)
            #expect(await eventually { nodes.statuses(of: "damaged") == ["raw"] })
            proxy.fault = nil
            #expect(await eventually { nodes.statuses(of: "damaged").last == "symbolicated" })
            await nodes.end()
        }

        @Test("they wait for a slow one in uploads only")
        func slow() async throws {
            let nodes = try await Nodes()
            #expect(try await nodes.clients[0].upload(library(1)).status == 201)
            let delay = Duration.seconds(setting("SYMBOLIST_BUCKET_DELAY") ?? 2)
            nodes.proxy.fault = .slow(delay)
            async let upload = nodes.clients[0].upload(library(2))
            try await nodes.send("slow", wanting: 1, to: 1)
            #expect(await eventually { !nodes.statuses(of: "slow").isEmpty })
            #expect(nodes.statuses(of: "slow") == ["raw"])
            #expect(try await upload.status == 201)
            #expect(
                await eventually(within: delay * 10 + .seconds(90)) {
                    nodes.statuses(of: "slow").last == "symbolicated"
                })
            #expect(nodes.cluster.backend.copies(of: "slow").map(\.revision) == [1, 2])
            await nodes.end()
        }

        @Test("symbols that a killed node had gone on without are used after its next start")
        func killed() async throws {
            var nodes = try await Nodes()
            #expect(try await nodes.clients[1].upload(library(1)).status == 201)
            // It has the index, and would send the diagnostic again.
            await nodes.stopLast()
            nodes.proxy.fault = .away
            try await nodes.send("early", wanting: 1, to: 0)
            #expect(await eventually { nodes.statuses(of: "early") == ["raw"] })
            try await nodes.waitUntilNothingIsDue()
            try await nodes.killFirst()
            nodes.proxy.fault = nil
            #expect(await eventually { nodes.statuses(of: "early").last == "symbolicated" })
            await nodes.end()
        }

        @Test("an upload that the bucket claims to have already fails, and succeeds later")
        func falseConflict() async throws {
            let nodes = try await Nodes()
            let client = nodes.clients[0]
            nodes.proxy.fault = .claimsExistence
            let refused = try await client.upload(library(1))
            #expect(refused.status == 503)
            nodes.proxy.fault = nil
            #expect(try await client.get("/v1/symbols/\(identity(1))").status == 404)
            #expect(try await client.upload(library(1)).status == 201)
            try await nodes.send("crash", wanting: 1, to: 1)
            #expect(await eventually { nodes.statuses(of: "crash").last == "symbolicated" })
            await nodes.end()
        }
    }
}

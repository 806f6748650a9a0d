import CallStacks
import Crypto
import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Chunked uploads to several nodes", .ownThreads)
    struct ClusterUploadTests {
        private static let app = "com.example.fig"

        private static func checksum(_ bytes: [UInt8]) -> String {
            Insecure.SHA1.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
        }

        private static func send(_ chunk: [UInt8], to site: Site) async throws -> Int {
            let boundary = "border"
            let head = """
                --\(boundary)\r
                Content-Disposition: form-data; name="file"; filename="\(checksum(chunk))"\r
                \r

                """
            let body = Array(head.utf8) + chunk + Array("\r\n--\(boundary)--\r\n".utf8)
            return try await site.client.post(
                "/api/0/organizations/acme/chunk-upload/", body,
                type: "multipart/form-data; boundary=\(boundary)"
            ).status
        }

        /// Asks a node for the state of a file.
        private static func state(
            _ file: [UInt8], _ chunks: [[UInt8]], named name: String, of site: Site
        ) async throws -> [String: Any] {
            let key = checksum(file)
            let request: [String: Any] = [
                key: ["name": name, "chunks": chunks.map(checksum)] as [String: Any]
            ]
            let body = [UInt8](try JSONSerialization.data(withJSONObject: request))
            let reply = try await site.client.post(
                "/api/0/projects/acme/\(app)/files/difs/assemble/", body,
                type: "application/json")
            return try reply.object()[key] as? [String: Any] ?? [:]
        }

        /// Asks one node after the other until the file is processed.
        private static func result(
            _ file: [UInt8], _ chunks: [[UInt8]], named name: String, _ sites: [Site]
        ) async -> String? {
            var state: String?
            var count = 0
            _ = await eventually {
                let site = sites[count % sites.count]
                count += 1
                state =
                    try? await Self.state(file, chunks, named: name, of: site)["state"] as? String
                return state != nil && state != "assembling"
            }
            return state
        }

        @Test("the pieces of a file may reach any nodes, and every node knows the result")
        func pieces() async throws {
            let cluster = try await TestCluster(nodes: 2)
            let nodes = try await [cluster.sites[0].start(), cluster.sites[1].start()]
            let (first, second) = (cluster.sites[0], cluster.sites[1])
            let file = library(1)
            let chunks = [Array(file[..<(file.count / 2)]), Array(file[(file.count / 2)...])]
            #expect(try await Self.send(chunks[0], to: first) == 200)
            let missing = try await Self.state(file, chunks, named: "libfig.so", of: second)
            #expect(missing["missingChunks"] as? [String] == [Self.checksum(chunks[1])])
            #expect(try await Self.send(chunks[1], to: second) == 200)
            #expect(
                await Self.result(file, chunks, named: "libfig.so", [first, second]) == "ok")
            for site in [first, second] {
                #expect(await Self.result(file, chunks, named: "libfig.so", [site]) == "ok")
                let files = try await site.client.get("/v1/symbols").object()["files"] as? [Any]
                #expect(files?.count == 1)
            }
            for node in nodes { #expect(await node.stop() == 0) }
            await cluster.end()
        }

        @Test("a symbol map that one node received restores names on the others")
        func symbolMaps() async throws {
            let cluster = try await TestCluster(nodes: 2)
            let nodes = try await [cluster.sites[0].start(), cluster.sites[1].start()]
            let (first, second) = (cluster.sites[0], cluster.sites[1])
            let (image, original) = (
                "B1B1B1B1-B1B1-B1B1-B1B1-B1B1B1B1B1B1", "C8374B6D-6E96-34D8-AE38-EFAA5FEC424F"
            )
            var file = MachOBuilder.library()
            file.fileType = 10
            file.uuid = [UInt8](repeating: 0xb1, count: 16)
            file.symbols = [.init("__hidden#1_", at: 0x1_0000_1000)]
            let list = """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict>
                <key>DBGOriginalUUID</key><string>\(original)</string>
                </dict></plist>
                """
            let map = "BCSymbolMap Version: 2.0\n_other\n-[Crate open]\n"
            // The debug file is stored first, and each part of the map reaches another node.
            for (bytes, name, site) in [
                (file.bytes(), "Orchard", first), (Array(list.utf8), "\(image).plist", second),
                (Array(map.utf8), "\(original).bcsymbolmap", first),
            ] {
                #expect(try await Self.send(bytes, to: site) == 200)
                #expect(await Self.result(bytes, [bytes], named: name, [site]) == "ok", "\(name)")
            }
            for site in [first, second] {
                let command = try CommandLineClient()
                let isRestored = await eventually {
                    let run = try? await command.run(
                        "lookup", image, "0x1000", "--server", "http://127.0.0.1:\(site.port)")
                    return run?.output.contains("-[Crate open]") == true
                }
                #expect(isRestored)
            }
            for node in nodes { #expect(await node.stop() == 0) }
            await cluster.end()
        }
    }
}

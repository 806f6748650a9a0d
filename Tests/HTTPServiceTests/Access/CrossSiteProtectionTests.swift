import EmbeddedDatabase
import GRPCCore
import GRPCNIOTransportHTTP2
import HTTPTypes
import Hummingbird
import NIOHTTP1
import TestSupport
import Testing

@testable import Ingest
@testable import HTTPService

@Suite("Protection of a service without tokens from web pages", .ownThreads)
struct CrossSiteProtectionTests {
    /// Every route, with values in place of path parameters.
    private static func routes() async throws -> [(method: String, path: String)] {
        let parts = try await TestDependencies(
            ingest: IngestFlow.Settings(), unpackedBytes: 1 << 20)
        let settings = ServerSettings(
            http: .init(host: "127.0.0.1", port: 0), grpc: .init(host: "127.0.0.1", port: 0),
            tokens: Tokens([]))
        let router = HTTPRoutes(
            dependencies: parts.server, settings: settings, memory: RequestMemoryBudget(settings)
        ).router(AllowedMethods())
        let routes = router.routes.map { route in
            let path = route.path.description.split(separator: "/").map { part in
                part.hasPrefix(":") || part.hasPrefix("{") ? identity(1)[...] : part
            }
            return (route.method.rawValue, "/" + path.joined(separator: "/"))
        }
        try await parts.database.close()
        return routes
    }

    private func status(
        _ service: RunningService, _ method: String, _ path: String, _ headers: [String] = []
    ) async throws -> Int {
        try await status(
            service, "\(method) \(path)", ["Host: 127.0.0.1:\(service.http)"] + headers)
    }

    private func status(
        _ service: RunningService, _ target: String, _ headers: [String]
    ) async throws -> Int {
        let connection = try await RawConnection.open(port: service.http)
        let length = target.hasPrefix("GET") ? [] : ["Content-Length: 0"]
        let lines = ["\(target) HTTP/1.1"] + headers + length + ["Connection: close", "", ""]
        try await connection.send(lines.joined(separator: "\r\n"))
        let answer = try await connection.rest()
        if !MozillaController.pagePaths.contains(where: target.contains) {
            #expect(!answer.lowercased().contains("access-control-allow"), "\(answer)")
        }
        return try #require(Int(answer.split(separator: " ").dropFirst().first ?? ""), "\(answer)")
    }

    @Test("no route responds to the host name of another site")
    func reboundName() async throws {
        let routes = try await Self.routes()
        #expect(routes.count > 20)
        try await RunningService.run { service in
            for (method, path) in routes {
                let host = ["Host: pages.example:\(service.http)"]
                let foreign = try await status(service, "\(method) \(path)", host)
                #expect(foreign == 421, "\(method) \(path)")
                let own = try await status(service, method, path)
                #expect(own != 421, "\(method) \(path)")
            }
            let nowhere = try await status(service, "GET /nowhere", ["Host: pages.example"])
            #expect(nowhere == 421)
        }
    }

    @Test("no route changes anything for a page of another site")
    func foreignPage() async throws {
        let known = try await Self.routes().filter { method, path in
            // A preflight request changes nothing.
            method != "OPTIONS" || !MozillaController.pagePaths.contains(path)
        }
        let routes = known + [("OPTIONS", "/v1/symbols"), ("PUT", "/nowhere")]
        try await RunningService.run { service in
            for (method, path) in routes where method != "GET" && method != "HEAD" {
                let own = "Origin: http://127.0.0.1:\(service.http)"
                for refused in [
                    ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"],
                    ["Sec-Fetch-Site: cross-site", own], ["Origin: http://pages.example"],
                    ["Origin: null"], ["Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site"],
                    ["Origin: http://127.0.0.1:1"], [own, "Origin: http://pages.example"],
                    ["Origin: file://"], ["Origin:"], ["Sec-Fetch-Site:"],
                ] {
                    let found = try await status(service, method, path, refused)
                    #expect(found == 403, "\(method) \(path) \(refused)")
                }
                for accepted in [
                    [], ["Sec-Fetch-Site: same-origin", own], ["Sec-Fetch-Site: none"], [own],
                ] {
                    let found = try await status(service, method, path, accepted)
                    #expect(found != 403, "\(method) \(path) \(accepted)")
                }
            }
            // Browsers withhold the responses to reads from the page.
            let reading = try await status(
                service, "GET", "/healthz", ["Sec-Fetch-Site: cross-site"])
            #expect(reading == 200)
            #expect(service.incoming.isEmpty)
            #expect(try await service.entries().isEmpty)
        }
    }

    @Test(
        "a host is recognised in every spelling that browsers and command lines use",
        arguments: [
            (["Host: localhost"], 200), (["Host: LocalHost:4318"], 200),
            (["Host: localhost."], 200),
            (["Host: 127.0.0.1"], 200), (["Host: 127.8.9.10:1"], 200), (["Host: [::1]:4318"], 200),
            (["Host: [0:0:0:0:0:0:0:1]"], 200), (["Host: [::ffff:127.0.0.1]"], 200),
            (["Host: symbols.example.com"], 200), (["Host: SYMBOLS.example.com.:80"], 200),
            (["Host: localhost:"], 200),
            (["Host: localhost.pages.example"], 421), (["Host: 127.0.0.1.pages.example"], 421),
            (["Host: 0.0.0.0"], 421), (["Host: 127.1"], 421), (["Host: 2130706433"], 421),
            (["Host: 0x7f.0.0.1"], 421), (["Host: 127.0.0.01"], 421), (["Host: 10.0.0.1"], 421),
            (["Host: [::2]"], 421), (["Host: a.localhost"], 421),
            (["Host: sub.symbols.example.com"], 421),
            ([], 400), (["Host:"], 400), (["Host: localhost", "Host: localhost"], 400),
            (["Host: localhost", "Host: pages.example"], 400), (["Host: localhost,pages"], 400),
            (["Host: user@localhost"], 400), (["Host: localhost:99999"], 400),
            (["Host: localhost:x"], 400), (["Host: [::1"], 400), (["Host: ::1"], 400),
            (["Host: localhost/"], 400), (["Host: localhost.."], 400), (["Host: http://a"], 400),
        ] as [([String], Int)])
    func hosts(headers: [String], expected: Int) async throws {
        try await RunningService.run {
            $0.hosts = ["symbols.example.com"]
        } use: { service in
            let found = try await status(service, "GET /v1/symbols", headers)
            #expect(found == expected)
        }
    }

    @Test("an absolute request target must name the same host as the header")
    func wholeURL() async throws {
        try await RunningService.run { service in
            for (target, host, expected) in [
                ("http://localhost/v1/symbols", "localhost", 200),
                ("http://pages.example/v1/symbols", "localhost", 400),
                ("http://localhost/v1/symbols", "pages.example", 400),
                ("http://pages.example/v1/symbols", "pages.example", 421),
            ] {
                let found = try await status(service, "GET \(target)", ["Host: \(host)"])
                #expect(found == expected, "\(target) \(host)")
            }
        }
    }

    @Test("a wildcard listen address accepts the address at which the connection arrived")
    func wildcard() async throws {
        let hosts = AllowedHosts(listening: "0.0.0.0", others: [])
        let (local, other) = (HostName("10.0.0.1"), try #require(HostName("10.0.0.2")))
        #expect(hosts.contains(try #require(local), local: local))
        #expect(!hosts.contains(other, local: local))
        #expect(!AllowedHosts(listening: "10.0.0.3", others: []).contains(other, local: other))
        #expect(
            AllowedHosts(listening: "::", others: []).contains(
                try #require(HostName("10.0.0.1")), local: HostName("::ffff:10.0.0.1")))
    }

    @Test("with a token, any host and any page is accepted")
    func token() async throws {
        try await RunningService.run {
            $0.tokens = TokenTests.tokens
        } use: { service in
            let head = ["Host: symbols.example", "Origin: http://pages.example"]
            let token = head + ["Authorization: Bearer out"]
            for (target, headers, expected) in [
                ("GET /v1/symbols", token, 200), ("POST /v1/lookup", token, 400),
                ("POST /v1/lookup", head, 401), ("GET /healthz", head, 200),
                ("GET /healthz", ["Host: a", "Host: b"], 400),
            ] {
                let found = try await status(service, target, headers)
                #expect(found == expected, "\(target) \(headers)")
            }
        }
    }

    @Test("over HTTP/2 the host is that of :authority")
    func http2() throws {
        func source(_ authority: String?, _ host: String? = nil) -> OriginHeaders {
            var head = HTTPRequest(
                method: .get, scheme: "https", authority: authority, path: "/healthz")
            if let host, let name = HTTPField.Name("host") { head.headerFields[name] = host }
            return OriginHeaders(head)
        }
        #expect(try source("localhost:1").host() == HostAndPort("localhost:1"))
        #expect(try source(nil, "localhost").host() == HostAndPort("localhost"))
        #expect(try source("localhost", "localhost").host() == HostAndPort("localhost"))
        #expect(try source(nil).host() == nil)
        #expect(throws: RequestError.self) { try source("localhost", "pages.example").host() }
    }

    @Test("an origin is compared by scheme, host and port")
    func origins() throws {
        func isAccepted(_ origin: String, _ host: String) -> Bool {
            var head = HTTPRequest(method: .post, scheme: "http", authority: host, path: "/")
            head.headerFields[.origin] = origin
            return (try? OriginHeaders(head).checkSameOrigin(as: HostAndPort(host))) != nil
        }
        #expect(isAccepted("https://symbols.example.com", "symbols.example.com"))
        #expect(isAccepted("https://symbols.example.com", "symbols.example.com:443"))
        #expect(isAccepted("http://localhost", "localhost:80"))
        #expect(isAccepted("http://[::1]:4318", "[::1]:4318"))
        #expect(!isAccepted("http://localhost", "localhost:4318"))
        #expect(!isAccepted("ftp://localhost", "localhost"))
        #expect(!isAccepted("http://localhost.pages.example", "localhost"))
    }

    @Test("gRPC refuses requests of browsers")
    func grpc() async throws {
        try await RunningService.run { service in
            try await service.withCaller { caller in
                for (metadata, isAccepted) in [
                    ([:], true), (["sec-fetch-site": "cross-site"], false),
                    (["origin": "http://127.0.0.1"], false), (["origin": "null"], false),
                ] as [(Metadata, Bool)] {
                    switch try await caller.export([], metadata: metadata) {
                    case .success: #expect(isAccepted, "\(metadata)")
                    case .failure(let error):
                        #expect(!isAccepted && error.code == .permissionDenied, "\(error)")
                    }
                }
            }
            let connection = try await RawConnection.open(port: service.grpc)
            try await connection.send(
                "POST /opentelemetry.proto.collector.logs.v1.LogsService/Export HTTP/1.1\r\n"
                    + "Host: localhost\r\nContent-Type: application/grpc\r\nContent-Length: 5\r\n\r\n"
                    + "\0\0\0\0\0")
            #expect(!(try await connection.rest()).contains("200"))
        }
    }
}

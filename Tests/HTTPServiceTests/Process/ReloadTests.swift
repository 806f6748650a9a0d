import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOSSL
import TestSupport
import Testing

@testable import HTTPService

@Suite("Reloading the configuration", .ownThreads)
struct ReloadTests {
    /// A service whose configuration a test can change.
    private struct Reloaded {
        let process: ServedProcess
        let folder: TestFolder
        let http: Int

        init(_ configuration: String) async throws {
            folder = try TestFolder()
            let path = try folder.write(configuration, to: "symbolist.yaml")
            process = try ServedProcess(
                ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--config", path],
                folder: folder)
            http = try #require(await process.port("Server started and listening"))
        }

        /// - Parameter line: A part of the log line that reports it.
        func reload(_ configuration: String, _ line: String) async throws -> String {
            _ = try folder.write(configuration, to: "symbolist.yaml")
            process.signal(SIGHUP)
            return try #require(await process.line(line))
        }

        func status(_ token: String, scheme: String = "http", _ client: HTTPClient = .patient)
            async throws -> Int
        {
            var request = HTTPClientRequest(
                url: "\(scheme)://127.0.0.1:\(http)/v1/symbols")
            request.headers.add(name: "authorization", value: "Bearer \(token)")
            let response = try await client.execute(request, timeout: .seconds(600))
            // Without its body, the connection would be closed.
            _ = try await response.body.collect(upTo: 1 << 20)
            return Int(response.status.code)
        }

        func end() async {
            process.signal(SIGTERM)
            #expect(await process.end().status == 0)
        }
    }

    private func tokens(_ names: String...) -> String {
        let lines = names.map { "  - {name: \($0), token: \($0)-secret, scopes: [read]}\n" }
        return "auth:\n  tokens:\n" + lines.joined()
    }

    @Test("tokens cannot be removed while a listener is open to the network")
    func exposure() async throws {
        let listener = "http: {host: 0.0.0.0, port: 0}\ngrpc: {enabled: false}\n"
        let folder = try TestFolder()
        let path = try folder.write(listener + tokens("own"), to: "symbolist.yaml")
        let process = try ServedProcess(["--config", path], folder: folder)
        _ = try #require(await process.port("Server started and listening"))
        _ = try folder.write(
            "http: {host: 127.0.0.1, port: 0}\ngrpc: {enabled: false}\n", to: "symbolist.yaml")
        process.signal(SIGHUP)
        let line = try #require(await process.line("not reloaded"))
        #expect(line.contains("auth.tokens: cannot all be removed while http.host is '0.0.0.0'"))
        process.signal(SIGTERM)
        #expect(await process.end().status == 0)
    }

    @Test("details of the service, such as the headers of exporters, are never logged")
    func secrets() async throws {
        let folder = try TestFolder()
        let path = try folder.write(
            """
            http: {port: 0}
            grpc: {enabled: false}
            log: {level: trace}
            export: [{url: "http://127.0.0.1:9", headers: {api-key: SUPERSECRET}}]
            """, to: "symbolist.yaml")
        let process = try ServedProcess(["--config", path], folder: folder)
        _ = try #require(await process.port("Server started and listening"))
        process.signal(SIGTERM)
        let ended = await process.end()
        #expect(ended.status == 0)
        #expect(!ended.lines.contains { $0.contains("SUPERSECRET") })
    }

    @Test(
        "SIGHUP takes over tokens and the log level, and keeps the old ones where the new are wrong"
    )
    func tokensAndLevel() async throws {
        let service = try await Reloaded(tokens("old"))
        #expect(try await service.status("old-secret") == 200)
        #expect(try await service.status("new-secret") == 401)

        let refusal = try await service.reload(
            tokens("new") + "log: {level: loud}\n", "not reloaded")
        #expect(refusal.contains("log.level") && refusal.contains("'loud'"), "\(refusal)")
        #expect(try await service.status("old-secret") == 200)
        #expect(try await service.status("new-secret") == 401)

        _ = try await service.reload(tokens("new", "other"), "configuration: reloaded")
        #expect(try await service.status("old-secret") == 401)
        #expect(try await service.status("new-secret") == 200)
        #expect(try await service.status("other-secret") == 200)

        let level = try await service.reload(
            tokens("new") + "log: {level: error}\n", "tokens=1")
        #expect(!level.contains("secret"))
        #expect(try await service.status("other-secret") == 401)
        service.process.signal(SIGTERM)
        let end = await service.process.end()
        #expect(end.status == 0)
        // The last refusal is below the current log level, and so is the end.
        #expect(!end.lines.contains { $0.contains("service: stopped") }, "\(end.lines)")
    }

    @Test("changed settings that need a restart are named")
    func restart() async throws {
        let service = try await Reloaded(tokens("old"))
        let line = try await service.reload(
            tokens("new") + """
                hold: 5s
                export: [{type: otlp_http, url: "http://a:1", headers: {x-key: private}}]
                log: {level: debug, format: text}
                """, "configuration: reloaded")
        #expect(
            line.contains("reloaded: restart to apply export[0].headers, export[0].url, hold"),
            "\(line)")
        #expect(!line.contains("private"))
        let back = try await service.reload(tokens("new"), "configuration: reloaded certificate")
        #expect(!back.contains("restart"))
        await service.end()
    }

    @Test("a removed token is refused even on an open connection")
    func openConnection() async throws {
        let service = try await Reloaded(tokens("old"))
        let connection = try await RawConnection.open(port: service.http)
        let request =
            "GET /v1/symbols HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer old-secret\r\n\r\n"
        try await connection.send(request)
        #expect(try await connection.rest { $0.hasSuffix("}") }.hasPrefix("HTTP/1.1 200"))
        _ = try await service.reload(tokens("new"), "configuration: reloaded")
        try await connection.send(request)
        #expect(try await connection.rest { $0.hasSuffix("}}") }.hasPrefix("HTTP/1.1 401"))
        await service.end()
    }

    @Test("SIGHUP applies a new certificate to new connections and keeps open ones")
    func certificate() async throws {
        let folder = try TestFolder()
        let certificate = try folder.write(TestCertificates.server, to: "server.pem")
        let key = try folder.write(TestCertificates.serverKey, to: "server.key")
        let configuration =
            tokens("old") + "tls: {certificate: \(certificate), key: \(key)}\n"
        let service = try await Reloaded(configuration)
        let before = client()
        #expect(try await service.status("old-secret", scheme: "https", before.client) == 200)

        // A key of another certificate: both remain unchanged.
        _ = try folder.write(TestCertificates.clientKey, to: "server.key")
        let refusal = try await service.reload(configuration, "not reloaded")
        #expect(refusal.contains("is not the key of"), "\(refusal)")
        let between = client()
        #expect(try await service.status("old-secret", scheme: "https", between.client) == 200)

        // This certificate is for another host, by which it is recognised.
        _ = try folder.write(TestCertificates.client, to: "server.pem")
        _ = try await service.reload(configuration, "configuration: reloaded")
        #expect(try await service.status("old-secret", scheme: "https", before.client) == 200)
        let after = client()
        await #expect(throws: (any Error).self) {
            _ = try await service.status("old-secret", scheme: "https", after.client)
        }
        await service.end()
    }

    /// A client that is shut down also where a test fails.
    private final class ScopedClient: Sendable {
        let client: HTTPClient

        init(_ configuration: HTTPClient.Configuration) {
            client = HTTPClient(configuration: configuration)
        }

        deinit { client.shutdown { _ in } }
    }

    private func client() -> ScopedClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authority = try? NIOSSLCertificate.fromPEMBytes(
            Array(TestCertificates.authority.utf8))
        {
            tls.trustRoots = .certificates(authority)
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.httpVersion = .http1Only
        return ScopedClient(configuration)
    }
}

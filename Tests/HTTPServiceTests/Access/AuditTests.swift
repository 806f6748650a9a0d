import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOSSL
import TestSupport
import Testing

@Suite("The audit log", .ownThreads)
struct AuditTests {
    private func send(
        _ method: String, _ port: Int, _ path: String, _ token: String? = nil,
        _ headers: [(String, String)] = [], body: [UInt8] = []
    ) async throws -> Int {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .RAW(value: method)
        if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if !body.isEmpty { request.body = .bytes(ByteBuffer(bytes: body)) }
        return Int(
            try await HTTPClient.patient.execute(request, timeout: .seconds(600)).status.code)
    }

    @Test("names the sender of each change and refusal, and never shows a token")
    func names() async throws {
        let folder = try TestFolder()
        let path = try folder.write(
            """
            auth:
              tokens:
              - {name: ci, token: ci-secret, scopes: [upload]}
              - {token: reader-secret, scopes: [read]}
            """, to: "symbolist.yaml")
        let service = try ServedProcess(
            ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--config", path], folder: folder)
        let port = try #require(await service.port("Server started and listening"))
        let upload = "/v1/symbols?app=shop&version=1&build=2"
        #expect(try await send("POST", port, upload, "ci-secret", body: library(1)) == 201)
        #expect(
            try await send("DELETE", port, "/v1/symbols/\(identity(1))", "ci-secret") == 200)
        #expect(try await send("GET", port, "/v1/symbols", "ci-secret") == 403)
        #expect(try await send("GET", port, "/v1/symbols", "wrong-secret") == 401)
        #expect(try await send("GET", port, "/v1/symbols") == 401)
        #expect(
            try await send("POST", port, "/v1/symbols/missing", "reader-secret") == 403)
        service.signal(SIGTERM)
        let lines = await service.end().lines.filter { $0.contains("audit: ") }
        let parts: [[String]] = [
            ["accepted", "who=ci", "from=127.0.0.1", "POST \(upload)"],
            ["accepted", "who=ci", "DELETE /v1/symbols/\(identity(1))"],
            ["refused", "who=ci", "GET /v1/symbols", "403 scope_missing"],
            ["refused", "who=unknown", "401 token_unknown"],
            ["refused", "who=unknown", "401 token_missing"],
            ["refused", "who=auth.tokens[1]", "403 scope_missing"],
        ]
        for part in parts {
            #expect(
                lines.count { line in part.allSatisfy { line.contains($0) } } == 1, "\(part)")
        }
        #expect(lines.count == parts.count, "\(lines)")
        #expect(!lines.contains { $0.contains("secret") })
    }

    @Test("records unknown hosts and failed TLS handshakes")
    func refusals() async throws {
        let plain = try ServedProcess(
            ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"], folder: TestFolder())
        let port = try #require(await plain.port("Server started and listening"))
        #expect(try await send("GET", port, "/v1/symbols", nil, [("host", "a.example")]) == 421)
        #expect(await plain.line("421 unknown_host") != nil)
        plain.signal(SIGTERM)
        #expect(await plain.end().status == 0)

        let folder = try TestFolder()
        let files = [
            ("tls.certificate", try folder.write(TestCertificates.server, to: "server.pem")),
            ("tls.key", try folder.write(TestCertificates.serverKey, to: "server.key")),
            ("tls.client_ca", try folder.write(TestCertificates.authority, to: "ca.pem")),
        ]
        let secure = try ServedProcess(
            ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]
                + files.flatMap { ["--set", "\($0)=\($1)"] }, folder: folder)
        let securePort = try #require(await secure.port("Server started and listening"))
        let grpcPort = try #require(await secure.port("grpc: listening"))
        for (port, name) in [(securePort, "http"), (grpcPort, "grpc")] {
            let connection = try await RawConnection.open(port: port)
            try await connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try await connection.rest()
            let line = await secure.line("\(name) connection")
            #expect(
                line?.contains("plain HTTP was sent to a port that expects TLS") == true,
                "\(line ?? "")")
        }
        var configuration = HTTPClient.Configuration(certificateVerification: .none)
        configuration.httpVersion = .http1Only
        let client = HTTPClient(configuration: configuration)
        await #expect(throws: (any Error).self) {
            let request = HTTPClientRequest(url: "https://127.0.0.1:\(securePort)/healthz")
            _ = try await client.execute(request, timeout: .seconds(600))
        }
        try await client.shutdown()
        #expect(await secure.line("it sent no client certificate") != nil)
        secure.signal(SIGTERM)
        #expect(await secure.end().status == 0)
    }

    @Test("an expired client certificate and one of an unknown authority get different reasons")
    func rejectedCertificates() async throws {
        let folder = try TestFolder()
        let files = [
            ("tls.certificate", try folder.write(TestCertificates.server, to: "server.pem")),
            ("tls.key", try folder.write(TestCertificates.serverKey, to: "server.key")),
            ("tls.client_ca", try folder.write(TestCertificates.expired, to: "ca.pem")),
        ]
        let service = try ServedProcess(
            ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]
                + files.flatMap { ["--set", "\($0)=\($1)"] }, folder: folder)
        let port = try #require(await service.port("Server started and listening"))
        for (certificate, key, reason) in [
            (
                TestCertificates.expired, TestCertificates.expiredKey,
                "TLS: its certificate expired at 2020-01-02T00:00:00Z"
            ),
            (
                TestCertificates.client, TestCertificates.clientKey,
                "TLS: its certificate is from an unknown authority"
            ),
        ] {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.certificateVerification = .none
            tls.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
                .map { .certificate($0) }
            tls.privateKey = .privateKey(
                try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))
            let connection = try await RawConnection.open(
                port: port, tls: NIOSSLContext(configuration: tls))
            try? await connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try? await connection.rest()
            #expect(await service.line(reason) != nil, "\(reason)")
        }
        #expect(await service.line("tls.client_ca: ")?.contains("expired at 2020-01-02") == true)
        service.signal(SIGTERM)
        #expect(await service.end().status == 0)
    }

    @Test("a flood of refusals causes few lines, with totals")
    func flood() async throws {
        let service = try ServedProcess(
            ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"], folder: TestFolder())
        let port = try #require(await service.port("Server started and listening"))
        for _ in 0..<200 {
            #expect(
                try await send("GET", port, "/v1/symbols", nil, [("host", "a.example")]) == 421)
        }
        service.signal(SIGTERM)
        let lines = await service.end().lines.filter { $0.contains("audit: refused") }
        #expect(lines.count < 60, "\(lines.count)")
        let sums = lines.compactMap { line in
            line.firstMatch(of: /times=([0-9]+)/).flatMap { Int($0.1) }
        }
        #expect(lines.count - sums.count + sums.reduce(0, +) == 200, "\(lines)")
    }
}

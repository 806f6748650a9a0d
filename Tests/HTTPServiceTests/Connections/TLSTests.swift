import AsyncHTTPClient
import Foundation
import GRPCNIOTransportHTTP2
import Glibc
import Ingest
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOSSL
import NIOTLS
import TestSupport
import Testing

@testable import HTTPService

@Suite("TLS", .ownThreads)
struct TLSTests {
    private func run(
        asksForCertificate: Bool = false, requestSeconds: Int64 = 60,
        use: @escaping @Sendable (RunningService) async throws -> Void
    ) async throws {
        let folder = try TestFolder()
        let files = TLSFiles(
            certificate: try folder.write(TestCertificates.server, to: "server.pem"),
            key: try folder.write(TestCertificates.serverKey, to: "server.key"),
            clientAuthority: asksForCertificate
                ? try folder.write(TestCertificates.authority, to: "ca.pem") : nil)
        let certificate = try ServerCertificate(files)
        try await RunningService.run {
            $0.certificate = certificate
            $0.requestSeconds = requestSeconds
        } use: { service in
            try await use(service)
        }
    }

    private func withClient(
        _ version: HTTPClient.Configuration.HTTPVersion, hasCertificate: Bool = false,
        use: (HTTPClient) async throws -> Void
    ) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(
            try NIOSSLCertificate.fromPEMBytes(Array(TestCertificates.authority.utf8)))
        if hasCertificate {
            tls.certificateChain =
                try NIOSSLCertificate
                .fromPEMBytes(Array(TestCertificates.client.utf8)).map { .certificate($0) }
            tls.privateKey = .privateKey(
                try NIOSSLPrivateKey(bytes: Array(TestCertificates.clientKey.utf8), format: .pem))
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.httpVersion = version
        let client = HTTPClient(configuration: configuration)
        do {
            try await use(client)
            try await client.shutdown()
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    @Test("a client gets the HTTP version that it negotiates")
    func versions() async throws {
        try await run { service in
            try await withClient(.automatic) { client in
                let answer = try await service.send(
                    "GET", "/healthz", scheme: "https", client: client)
                #expect(answer.version.major == 2)
                let body = try OTLPOverHTTPTests.request()
                let logs = try await service.send(
                    "POST", "/v1/logs", OTLPOverHTTPTests.protobuf, body: body, scheme: "https",
                    client: client)
                #expect(logs.status == 200)
                #expect(try await service.entries().map(\.draft.body) == [body])
                let missing = try await service.send(
                    "GET", "/nowhere", scheme: "https", client: client)
                try expectError(missing, 404, "no_such_path")
                let upload = try await service.send(
                    "POST", "/v1/symbols", body: projectFile(Orchard.kitDSYM), scheme: "https",
                    client: client)
                #expect(try UploadTests.statuses(upload) == ["indexed"])
            }
            try await withClient(.http1Only) { client in
                let answer = try await service.send(
                    "GET", "/healthz", scheme: "https", client: client)
                #expect(answer.version.major == 1)
            }
        }
    }

    @Test("a client must present a certificate if client authorities are configured")
    func clientCertificate() async throws {
        try await run(asksForCertificate: true) { service in
            for version in [HTTPClient.Configuration.HTTPVersion.automatic, .http1Only] {
                try await withClient(version, hasCertificate: true) { client in
                    let answer = try await service.send(
                        "GET", "/healthz", scheme: "https", client: client)
                    #expect(answer.status == 200)
                }
            }
            await #expect(throws: (any Error).self) {
                try await withClient(.http1Only) { client in
                    _ = try await service.send("GET", "/healthz", scheme: "https", client: client)
                }
            }
        }
    }

    private func security(
        hasCertificate: Bool
    ) -> HTTP2ClientTransport.Posix.TransportSecurity {
        .tls { config in
            config.trustRoots = .certificates([
                .bytes(Array(TestCertificates.authority.utf8), format: .pem)
            ])
            config.serverCertificateVerification = .noHostnameVerification
            guard hasCertificate else { return }
            config.certificateChain = [.bytes(Array(TestCertificates.client.utf8), format: .pem)]
            config.privateKey = .bytes(Array(TestCertificates.clientKey.utf8), format: .pem)
        }
    }

    @Test(
        "gRPC has the same certificate and the same client authorities as HTTP",
        arguments: [false, true])
    func grpc(asksForCertificate: Bool) async throws {
        try await run(asksForCertificate: asksForCertificate) { service in
            try await service.withCaller(security: security(hasCertificate: asksForCertificate)) {
                caller in
                let outcome = try await caller.export([0x0a, 0x00])
                #expect(try outcome.get() == [])
            }
            #expect(try await service.entries().count == 1)
        }
    }

    @Test(
        "an HTTP/2 client that ignores GOAWAY does not delay a stop beyond the grace period",
        .timeLimit(.minutes(2)))
    func ignoredGoAway() async throws {
        try await run { service in
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.certificateVerification = .none
            tls.applicationProtocols = ["h2"]
            let connection = try await RawConnection.open(
                port: service.http, tls: NIOSSLContext(configuration: tls))
            try await connection.send(RawHTTP2.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0])
            _ = await connection.next()
        }
    }

    @Test("only HTTP/2 connections are closed after the grace period of a stop")
    func gracePeriod() throws {
        for (version, isClosed) in [("h2", true), ("http/1.1", false)] {
            let channel = EmbeddedChannel()
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try channel.pipeline.syncOperations.addHandler(HandshakeTimeoutHandler(seconds: 60))
            channel.pipeline.fireUserInboundEventTriggered(
                TLSUserEvent.handshakeCompleted(negotiatedProtocol: version))
            channel.embeddedEventLoop.advanceTime(by: .seconds(60))
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            channel.embeddedEventLoop.advanceTime(by: .seconds(GRPCListener.graceSeconds - 1))
            #expect(channel.isActive)
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(channel.isActive != isClosed, "\(version)")
        }
    }

    @Test("a connection that is still in its handshake is closed at a stop")
    func stopDuringHandshake() throws {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.pipeline.syncOperations.addHandler(HandshakeTimeoutHandler(seconds: 60))
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(!channel.isActive)
    }

    @Test("a handshake that is not completed in time is closed")
    func handshake() async throws {
        try await run(requestSeconds: 1) { service in
            for port in [service.http, service.grpc] {
                let connection = try await RawConnection.open(port: port)
                // The start of a handshake of 512 bytes.
                try await connection.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
                _ = try await connection.rest()
            }
        }
    }
}

@Suite("symbolist health and TLS", .ownThreads)
struct TLSHealthTests {
    private func problem(
        _ address: String, environment: [String: String] = [:]
    ) async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["health", "--server", address]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let output = await Task.detached {
            pipe.fileHandleForReading.readDataToEndOfFile()
        }.value
        process.waitUntilExit()
        #expect(process.terminationStatus == (output.isEmpty ? 0 : 4))
        return String(decoding: output, as: UTF8.self).replacing("\(address): ", with: "")
    }

    @Test("names the right scheme and port, and a missing client certificate")
    func explains() async throws {
        let anyPorts = ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]
        let folder = try TestFolder()
        let files = [
            ("tls.certificate", try folder.write(TestCertificates.server, to: "server.pem")),
            ("tls.key", try folder.write(TestCertificates.serverKey, to: "server.key")),
            ("tls.client_ca", try folder.write(TestCertificates.authority, to: "ca.pem")),
        ].map { ["--set", "\($0)=\($1)"] }
        let plain = try ServedProcess(anyPorts, folder: TestFolder())
        let secure = try ServedProcess(anyPorts + files[0] + files[1], folder: TestFolder())
        let strict = try ServedProcess(anyPorts + files.flatMap(\.self), folder: TestFolder())
        let started = "Server started and listening"
        let plainPort = try #require(await plain.port(started))
        let plainGRPC = try #require(await plain.port("grpc: listening"))
        let securePort = try #require(await secure.port(started))
        let strictPort = try #require(await strict.port(started))
        for (address, expected) in [
            ("http://127.0.0.1:\(plainPort)", ""), ("https://127.0.0.1:\(securePort)", ""),
            ("https://127.0.0.1:\(plainPort)", "does not speak TLS: use http://\n"),
            ("http://127.0.0.1:\(securePort)", "expects TLS: use https://\n"),
            ("http://127.0.0.1:\(strictPort)", "expects TLS: use https://\n"),
            (
                "http://127.0.0.1:\(plainGRPC)",
                "does not speak HTTP/1.1: is it the port of gRPC?\n"
            ),
        ] {
            #expect(try await problem(address) == expected, "\(address)")
        }
        let wanted = try await problem("https://127.0.0.1:\(strictPort)")
        #expect(wanted.contains("client certificate"), "\(wanted)")
        #expect(
            wanted.hasSuffix("set SYMBOLIST_CLIENT_CERTIFICATE and SYMBOLIST_CLIENT_KEY\n"))
        for process in [plain, secure, strict] {
            process.signal(SIGTERM)
            #expect(await process.end().status == 0)
        }
    }

    @Test("commands present the client certificate that the environment names")
    func clientCertificate() async throws {
        let folder = try TestFolder()
        let authority = try folder.write(TestCertificates.authority, to: "ca.pem")
        let strict = try ServedProcess(
            [
                ("http.port", "0"), ("grpc.enabled", "false"), ("tls.client_ca", authority),
                ("tls.certificate", try folder.write(TestCertificates.server, to: "server.pem")),
                ("tls.key", try folder.write(TestCertificates.serverKey, to: "server.key")),
            ].flatMap { ["--set", "\($0)=\($1)"] }, folder: folder)
        let port = try #require(await strict.port("Server started and listening"))
        let address = "https://127.0.0.1:\(port)"
        var environment = [
            "SSL_CERT_FILE": authority,
            "SYMBOLIST_CLIENT_CERTIFICATE": try folder.write(
                TestCertificates.client, to: "client.pem"),
            "SYMBOLIST_CLIENT_KEY": try folder.write(TestCertificates.clientKey, to: "client.key"),
        ]
        #expect(try await problem(address, environment: environment) == "")
        let list = ["symbols", "list", "--server", address, "--retries", "0"]
        let accepted = try await symbolist(list, environment: environment, in: folder)
        // The service has no symbols yet.
        #expect(accepted.status == 3, "\(accepted)")
        let script = try await PeerProcess(
            "/bin/sh",
            [projectFolder.path + "/Scripts/upload-symbols", "--app", "a", "--version", "1"]
                + ["--build", "1", projectFolder.path + "/Symbols/linux-c-dwarf2"],
            environment: [
                "CURL_CA_BUNDLE": authority, "SYMBOLIST_SERVER": address,
                "SYMBOLIST_CLIENT_CERTIFICATE": "client.pem", "SYMBOLIST_CLIENT_KEY": "client.key",
            ], in: folder)
        #expect(script.status == 0, "\(script)")
        environment["SYMBOLIST_CLIENT_CERTIFICATE"] = ""
        let alone = try await symbolist(list, environment: environment, in: folder)
        #expect(alone.status == 2, "\(alone)")
        environment["SYMBOLIST_CLIENT_KEY"] = ""
        let refused = try await symbolist(list, environment: environment, in: folder)
        #expect(refused.status == 4, "\(refused)")
        strict.signal(SIGTERM)
        #expect(await strict.end().status == 0)
    }
}

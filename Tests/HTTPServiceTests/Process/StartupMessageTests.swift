import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import Problems
import TestSupport
import Testing

@testable import HTTPService

@Suite("Log messages about startup and exporters", .ownThreads)
struct StartupMessageTests {
    private static let anyPorts = ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]

    /// Names of library internals, which no log line may contain.
    private static let foreignWords = [
        "NIO", "Error Domain", "NSPOSIX", "NSCocoa", "BoringSSL", "OPENSSL", "::", ".swift", ".cc:",
        "HTTPClientError", "RPCError", "errno", "errnoCode", "Optional(", "Code=",
    ]

    private func expectWords(
        _ lines: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for line in lines {
            #expect(
                !Self.foreignWords.contains { line.contains($0) }, "\(line)",
                sourceLocation: sourceLocation)
        }
    }

    @Test("startup logs the data folder and every exporter, without possible keys")
    func exporters() async throws {
        let folder = try TestFolder()
        let path = try folder.write(
            """
            export:
            - {name: otel, url: 'http://127.0.0.1:1/base?api_key=hidden', headers: {x: hidden}}
            - {type: otlp_grpc, url: 'https://collector.example:4317'}
            - logs_url: 'http://127.0.0.1:1/logs?key=hidden'
              traces_url: 'http://127.0.0.1:1/traces?key=hidden'
              metrics_url: 'http://127.0.0.1:1/metrics?key=hidden'
            - {type: file, path: out.jsonl}
            - {type: stdout}
            tracing: {url: 'http://127.0.0.1:1/v1/traces?key=hidden'}
            """, to: "symbolist.yaml")
        let service = try ServedProcess(Self.anyPorts + ["--config", path], folder: folder)
        _ = try #require(await service.port("Server started and listening"))
        service.signal(SIGTERM)
        let lines = await service.end().lines
        for parts in [
            ["service: starting", "data=\(folder.url.path)/data"],
            ["export: otel ", "type=otlp_http", "target=http://127.0.0.1:1/base"],
            ["export: https://collector.example:4317 ", "type=otlp_grpc"],
            ["export: http://127.0.0.1:1/logs ", "type=otlp_http"],
            ["export: out.jsonl ", "type=file", "target=out.jsonl"],
            ["export: stdout ", "type=stdout"],
        ] {
            #expect(
                lines.contains { line in parts.allSatisfy { line.contains($0) } },
                "\(parts) \(lines)")
        }
        #expect(!lines.contains { $0.contains("hidden") }, "\(lines)")
        expectWords(lines)
    }

    @Test("a listener that fails is not logged as listening")
    func notListening() async throws {
        let first = try ServedProcess(Self.anyPorts, folder: TestFolder())
        let taken = try #require(await first.port("Server started and listening"))
        let second = try ServedProcess(
            ["--http", "127.0.0.1:\(taken)", "--grpc", "127.0.0.1:0"], folder: TestFolder())
        let end = await second.end()
        #expect(end.status == 1)
        #expect(!end.lines.contains { $0.contains("started and listening") }, "\(end.lines)")
        expectWords(end.lines)
        first.signal(SIGTERM)
        #expect(await first.end().status == 0)
    }

    @Test("a problem at startup is reported in one sentence")
    func startProblems() async throws {
        let folder = try TestFolder()
        let anonymous = ["--set", "auth.anonymous=true"]
        for (arguments, problem) in [
            (anonymous + ["--http", "host.invalid:0"], "http: host.invalid:0: host not found: "),
            (anonymous + ["--http", "192.0.2.1:0"], "http: 192.0.2.1:0: this machine has no such"),
            (anonymous + ["--grpc", "192.0.2.1:0"], "grpc: 192.0.2.1:0: this machine has no such"),
            (["--data", "/proc/symbolist"], "data: '/proc/symbolist' cannot be created ("),
            (["--export", "file:/nowhere/out"], "export[0].path: '/nowhere/out' can't be written"),
        ] as [([String], String)] {
            let service = try ServedProcess(Self.anyPorts + arguments, folder: folder)
            let end = await service.end()
            #expect(end.status == 1, "\(arguments)")
            let line = end.lines.last ?? ""
            #expect(line.hasPrefix(problem), "\(end.lines)")
            expectWords(end.lines)
        }
    }

    @Test("a listener reports why it cannot listen")
    func listeners() {
        let address = ServerSettings.Address(host: "127.0.0.1", port: 80)
        for (code, words) in [
            (EADDRINUSE, "address already in use: choose another http.port"),
            (EACCES, "permission denied: choose a http.port above 1023"),
            (EMFILE, "too many open files: check http.host and http.port"),
        ] {
            let error = ListenError(
                listener: "http", address, IOError(errnoCode: code, reason: "bind"))
            #expect(error.description == "http: 127.0.0.1:80: \(words)")
        }
    }

    @Test("an expired certificate causes a warning")
    func expired() throws {
        let folder = try TestFolder()
        let files = TLSFiles(
            certificate: try folder.write(TestCertificates.expired, to: "server.pem"),
            key: try folder.write(TestCertificates.expiredKey, to: "server.key"))
        let warnings = try ServerCertificate(files).warnings
        #expect(
            warnings == [
                "tls.certificate: '\(files.certificate)' expired at 2020-01-02T00:00:00Z: replace it"
            ])
    }

    @Test(
        "an unreachable exporter is reported in words",
        arguments: [
            ("http://127.0.0.1:1", "127.0.0.1: connection refused"),
            ("http://host.invalid:4318", "host.invalid: host not found"),
            ("https://127.0.0.1:PLAIN", "127.0.0.1: TLS: the peer does not speak TLS"),
            ("http://127.0.0.1:SECURE", "127.0.0.1: connection was closed without a response"),
            (
                "https://127.0.0.1:SECURE",
                "127.0.0.1: TLS: its certificate is expired or from an unknown authority"
            ),
            ("grpc://127.0.0.1:1", "connection refused"),
            ("grpc://host.invalid:4317", "host not found"),
            ("grpcs://127.0.0.1:PLAIN", "TLS: the peer does not speak TLS"),
        ])
    func exportProblems(target: String, words: String) async throws {
        let folder = try TestFolder()
        let plain = try ServedProcess(Self.anyPorts, folder: TestFolder())
        let secure = try ServedProcess(
            Self.anyPorts + [
                "--set", "tls.certificate=\(try folder.write(TestCertificates.server, to: "a"))",
                "--set", "tls.key=\(try folder.write(TestCertificates.serverKey, to: "b"))",
            ], folder: TestFolder())
        let plainPort = try #require(await plain.port("Server started and listening"))
        let securePort = try #require(await secure.port("Server started and listening"))
        let url = target.replacing("PLAIN", with: "\(plainPort)")
            .replacing("SECURE", with: "\(securePort)")
        let service = try ServedProcess(Self.anyPorts + ["--export", url], folder: folder)
        let port = try #require(await service.port("Server started and listening"))
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/v1/logs")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try fixture("divide-by-zero.otlp.json")))
        _ = try await HTTPClient.patient.execute(request, timeout: .seconds(600))
        let line = try #require(await service.line("exporter '"))
        #expect(line.contains(words), "\(line)")
        for process in [plain, secure, service] {
            process.signal(SIGKILL)
            expectWords(await process.end().lines)
        }
    }
}

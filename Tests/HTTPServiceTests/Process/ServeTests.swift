import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@Suite("symbolist serve", .ownThreads)
struct ServeTests {
    private static let anyPorts = ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]

    private func start(_ arguments: [String] = anyPorts) throws -> ServedProcess {
        try ServedProcess(arguments, folder: TestFolder())
    }

    @Test(
        "a signal stops it gracefully, after exporting what it acknowledged",
        arguments: [SIGTERM, SIGINT])
    func graceful(signal: Int32) async throws {
        let folder = try TestFolder()
        let out = folder.url.appendingPathComponent("out.jsonl").path
        let service = try ServedProcess(
            Self.anyPorts + ["--export", "file:\(out)"], folder: folder)
        let http = try #require(await service.port("Server started and listening"))
        #expect(await service.port("grpc: listening") != nil)
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(http)/v1/logs")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try fixture("divide-by-zero.otlp.json")))
        let response = try await HTTPClient.patient.execute(request, timeout: .seconds(600))
        #expect(response.status == .ok)
        service.signal(signal)
        let end = await service.end()
        #expect(end.status == 0, "\(end.lines)")
        let sent = try String(contentsOfFile: out, encoding: .utf8)
        #expect(sent.contains("symbolist.fingerprint"))
        #expect(sent.split(separator: "\n").count == 1)
    }

    @Test("a request in progress gets its response before it stops")
    func finishesRequests() async throws {
        let service = try start()
        let http = try #require(await service.port("Server started and listening"))
        let connection = try await RawConnection.open(port: http)
        try await connection.send(
            "POST /v1/metrickit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{")
        let idle = try await RawConnection.open(port: http)
        try await idle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = try await idle.rest { $0.hasSuffix("}") }
        service.signal(SIGTERM)
        // It is stopping once it closes idle connections.
        #expect(try await idle.rest() == "")
        try await connection.send("}")
        #expect(try await connection.rest().hasPrefix("HTTP/1.1 202"))
        #expect(await service.end().status == 0)
    }

    @Test("an address in use is reported in one line", arguments: ["http", "grpc"])
    func addressInUse(side: String) async throws {
        let first = try start()
        let port = try #require(
            await first.port(side == "http" ? "Server started and listening" : "grpc: listening"))
        let others = side == "http" ? ["--grpc", "127.0.0.1:0"] : ["--http", "127.0.0.1:0"]
        let second = try start(["--\(side)", "127.0.0.1:\(port)"] + others)
        let end = await second.end()
        #expect(end.status == 1)
        #expect(
            end.lines.contains(
                "\(side): 127.0.0.1:\(port): address already in use: choose another \(side).port"),
            "\(end.lines)")
        #expect(!end.lines.contains { $0.contains(" error symbolist: ") }, "\(end.lines)")
        // Otherwise the exporters would have started, and the service would first finish their work.
        #expect(!end.lines.contains { $0.contains("service: starting") }, "\(end.lines)")
        first.signal(SIGTERM)
        #expect(await first.end().status == 0)
    }

    @Test("a data folder in use by another process is reported in one line")
    func folderInUse() async throws {
        let folder = try TestFolder()
        let first = try ServedProcess(Self.anyPorts, folder: folder)
        _ = try #require(await first.port("Server started and listening"))
        let second = try ServedProcess(Self.anyPorts, folder: folder)
        let end = await second.end()
        #expect(end.status == 1)
        let line = try #require(end.lines.last)
        #expect(line.hasPrefix("database: "), "\(line)")
        expectSentence(line)
        first.signal(SIGTERM)
        #expect(await first.end().status == 0)
    }

    @Test(
        "invalid settings are rejected before it listens",
        arguments: [
            (["--http", "0.0.0.0:0"], "is open to the network, and there are no tokens"),
            (["--grpc", "[::]:0"], "is open to the network, and there are no tokens"),
            (["--set", "tls.certificate=/nowhere"], "set both tls.certificate and tls.key"),
            (["--set", "limits.body=much"], "limits.body"),
            (["--config", "/nowhere.yaml"], "/nowhere.yaml"),
            (
                ["--set", "tls.certificate=/nowhere", "--set", "tls.key=/nowhere"],
                "tls.certificate: '/nowhere' cannot be read (no such file or directory): check"
            ),
        ] as [([String], String)])
    func badSettings(arguments: [String], problem: String) async throws {
        let service = try start(Self.anyPorts + arguments)
        let end = await service.end()
        #expect(end.status == 2)
        let line = try #require(end.lines.first { $0.contains(problem) }, "\(end.lines)")
        expectSentence(line)
    }

    @Test("it accepts the network if configured to")
    func anonymous() async throws {
        let service = try start(
            ["--http", "0.0.0.0:0", "--set", "grpc.enabled=false", "--set", "auth.anonymous=true"])
        let http = try #require(await service.port("Server started and listening"))
        #expect(try await service.isReady(at: http))
        service.signal(SIGTERM)
        #expect(await service.end().status == 0)
    }
}

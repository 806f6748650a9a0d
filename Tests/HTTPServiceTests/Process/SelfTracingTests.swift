import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Traces of the service itself", .ownThreads)
struct SelfTracingTests {
    private static let anyPorts = ["--http", "127.0.0.1:0", "--set", "grpc.enabled=false"]

    @Test("requests become spans at the URL in the settings")
    func requests() async throws {
        let folder = try TestFolder()
        let path = try folder.write("export: [{type: file, path: out.jsonl}]", to: "a.yaml")
        let receiver = try ServedProcess(Self.anyPorts + ["--config", path], folder: folder)
        let receiverPort = try #require(await receiver.port("Server started and listening"))
        let url = "http://127.0.0.1:\(receiverPort)/v1/traces"
        let traced = try ServedProcess(
            Self.anyPorts + ["--set", "tracing.url=\(url)"], folder: TestFolder())
        let port = try #require(await traced.port("Server started and listening"))
        #expect(try await traced.isReady(at: port))
        traced.signal(SIGTERM)
        #expect(await traced.end().status == 0)
        let output = folder.url.appending(path: "out.jsonl")
        let isExported = await eventually {
            let lines = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
            return lines.contains("resourceSpans") && lines.contains("/readyz")
        }
        #expect(isExported)
        receiver.signal(SIGTERM)
        #expect(await receiver.end().status == 0)
    }
}

import Foundation
import OTLP
import TestSupport
import Testing

@Suite("Random requests")
struct RandomRequestTests {
    static let requests: [(name: String, type: any OTLPMessage.Type)] = [
        ("ExportLogsServiceRequest", ExportLogsServiceRequest.self),
        ("ExportTraceServiceRequest", ExportTraceServiceRequest.self),
        ("ExportMetricsServiceRequest", ExportMetricsServiceRequest.self),
    ]

    /// The protobuf of a random request, or `nil` if it is refused.
    private static func protobuf(_ row: Int, seed: UInt64) throws -> (json: String, [UInt8])? {
        var random = RandomRequest(seed: seed)
        let json = random.message(requests[row].name)
        do {
            return (
                json,
                try requests[row].type.reencoded(Array(json.utf8), from: .json, to: .protobuf)
            )
        } catch {
            #expect(error.reason == .enumeration || error.reason == .malformed, "\(error)")
            return nil
        }
    }

    @Test(
        "JSON is refused, or becomes complete protobuf with the same content",
        arguments: UInt64(0)..<500)
    func roundTrip(seed: UInt64) throws {
        for (row, request) in Self.requests.enumerated() {
            guard let (json, bytes) = try Self.protobuf(row, seed: seed) else { continue }
            #expect(StrictProtobufScanner.accepts(bytes, row: row), "\(json)")
            #expect(try request.type.reencoded(bytes, from: .protobuf, to: .protobuf) == bytes)
            let written = try request.type.reencoded(bytes, from: .protobuf, to: .json)
            #expect(try request.type.reencoded(written, from: .json, to: .protobuf) == bytes)
        }
    }

    @Test("some random requests are refused and some are accepted")
    func shares() throws {
        for row in Self.requests.indices {
            let taken = try (0..<500).filter { try Self.protobuf(row, seed: $0) != nil }
            #expect((50..<490).contains(taken.count), "\(taken.count)")
        }
    }

    /// `Scripts/test` installs the peers and requires them; elsewhere they are used if available.
    @Test(
        "OpenTelemetry's own classes read the output, and write the same",
        .enabled(if: Self.hasPeers))
    func peers() throws {
        let folder = try TestFolder()
        var lines: [String] = []
        for row in Self.requests.indices {
            for seed in 0..<UInt64(2_000) {
                guard let (_, bytes) = try Self.protobuf(row, seed: seed) else { continue }
                let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                lines.append("\(Self.requests[row].name) \(digits.joined())\n")
            }
        }
        try folder.write(lines.joined(), to: "requests")
        let script = projectFolder.appendingPathComponent("Tests/Peers/decode.py").path
        try shell("'\(Self.python)' '\(script)' requests", in: folder.url)
    }

    private static let python =
        projectFolder.appendingPathComponent(".build-peers/bin/python").path

    private static let hasPeers =
        ProcessInfo.processInfo.environment["REQUIRE_PEERS"] == "1"
        || FileManager.default.isExecutableFile(atPath: python)
}

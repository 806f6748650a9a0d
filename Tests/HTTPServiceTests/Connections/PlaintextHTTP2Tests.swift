import Foundation
import Ingest
import NIOCore
import NIOHPACK
import OTLP
import TestSupport
import Testing

@testable import HTTPService

@Suite("HTTP/2 without TLS", .ownThreads)
struct PlaintextHTTP2Tests {
    private static func get(_ path: String) -> [(String, String)] {
        [(":method", "GET"), (":scheme", "http"), (":path", path), (":authority", "localhost")]
    }

    private static let post = [
        (":method", "POST"), (":scheme", "http"), (":path", "/v1/logs"),
        (":authority", "localhost"), ("content-type", "application/x-protobuf"),
    ]

    @Test(
        "a client with prior knowledge starts with HTTP/2, in pieces of any size",
        arguments: [1, 5, 24, 100])
    func priorKnowledge(pieceLength: Int) async throws {
        try await RunningService.run { service in
            let connection = try await RawConnection.open(port: service.http)
            let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
            var rest = (RawHTTP2.preface + settings)[...]
            while !rest.isEmpty {
                try await connection.send(Array(rest.prefix(pieceLength)))
                rest = rest.dropFirst(pieceLength)
            }
            var client = RawHTTP2(connection: connection)
            try await client.headers(1, Self.get("/healthz"), isWhole: true)
            let health = await client.ending(of: 1, isWhole: true)
            #expect(health.fields.first(name: ":status") == "200")
            #expect(health.messages.flatMap { $0 } == Array(#"{"status":"ok"}"#.utf8))
            try await client.headers(3, Self.post, isWhole: false)
            try await client.data(3, [0x0a, 0x00], isWhole: true)
            let answer = await client.ending(of: 3, isWhole: true)
            #expect(answer.fields.first(name: ":status") == "200")
            #expect(try await service.entries().map(\.draft.body) == [[0x0a, 0x00]])
            await client.close()
        }
    }

    @Test("a request that only starts like the preface is HTTP/1")
    func otherMethods() async throws {
        try await RunningService.run { service in
            for start in ["PROPFIND /healthz HTTP/1.1", "PRI /healthz HTTP/1.1"] {
                let connection = try await RawConnection.open(port: service.http)
                for character in start { try await connection.send("\(character)") }
                try await connection.send("\r\nHost: a\r\n\r\n")
                let answer = try await connection.rest { $0.hasSuffix("}") || $0.contains(" 400 ") }
                #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
            }
        }
    }

    @Test("the version is detected at the first byte that differs")
    func preface() {
        func begins(_ text: String) -> Bool? {
            HTTP2Preface.begins(ByteBuffer(string: text).readableBytesView)
        }
        let preface = String(decoding: RawHTTP2.preface, as: UTF8.self)
        for count in 0..<preface.utf8.count {
            #expect(begins(String(preface.prefix(count))) == (count < preface.count ? nil : true))
        }
        #expect(begins(preface) == true)
        #expect(begins(preface + "more") == true)
        #expect(begins("GET") == false)
        #expect(begins("PRI * HTTP/1.1") == false)
    }

    @Test("curl connects with prior knowledge", .enabled(if: Curl.isThere))
    func curl() async throws {
        try await RunningService.run { service in
            let folder = try TestFolder()
            try shell(
                """
                curl -s -S --http2-prior-knowledge -w ' %{http_version}' \
                http://localhost:\(service.http)/healthz > answer
                test "$(cat answer)" = '{"status":"ok"} 2'
                """, in: folder.url)
        }
    }
}

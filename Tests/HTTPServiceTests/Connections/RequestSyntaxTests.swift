import NIOHPACK
import TestSupport
import Testing

@testable import HTTPService

@Suite("Requests that are not understood", .ownThreads)
struct RequestSyntaxTests {
    /// Returns the response to a request on a connection of its own.
    private func response(to request: String, of service: RunningService) async throws -> String {
        let connection = try await RawConnection.open(port: service.http)
        try await connection.send(request)
        return try await connection.rest { $0.hasSuffix("}}") || $0.hasSuffix("\"}") }
    }

    @Test(
        "a transfer coding besides chunked is refused, and no body is read without decoding it",
        arguments: ["gzip, chunked", "gzip\r\nTransfer-Encoding: chunked", "identity, chunked"])
    func transferCoding(coding: String) async throws {
        try await RunningService.run { service in
            let head = "HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            let body = "Transfer-Encoding: \(coding)\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
            let otlp = try await response(to: "POST /v1/logs \(head)\(body)", of: service)
            #expect(otlp.hasPrefix("HTTP/1.1 501 "), "\(otlp)")
            #expect(otlp.contains("use 'chunked', and Content-Encoding for"), "\(otlp)")
            let other = try await response(to: "POST /v1/metrickit \(head)\(body)", of: service)
            #expect(other.contains(#""code":"unsupported_transfer_coding""#), "\(other)")
            #expect(try await service.entries().isEmpty)
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(
                "POST /v1/logs \(head)Transfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
            #expect(try await connection.rest { $0.hasSuffix("{}") }.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(
        "the response to a request that is not HTTP says so",
        arguments: [
            "GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
            "GET /v1/logs HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\n\r\n",
            "POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        ])
    func notHTTP(request: String) async throws {
        try await RunningService.run { service in
            // Ends, because the connection is closed.
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(request)
            let response = try await connection.rest()
            let body = #"{"error":{"code":"not_http","message":"request: not valid HTTP"}}"#
            #expect(response.hasPrefix("HTTP/1.1 400 "), "\(response)")
            #expect(response.contains("Content-Type: application/json\r\n"), "\(response)")
            #expect(response.contains("Content-Length: \(body.utf8.count)\r\n"), "\(response)")
            #expect(response.hasSuffix("\r\n\r\n\(body)"), "\(response)")
        }
    }

    @Test("headers that are too large are named")
    func longHeaders() async throws {
        try await RunningService.run { service in
            let value = String(repeating: "x", count: 100_000)
            let response = try await response(
                to: "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \(value)\r\n\r\n", of: service)
            #expect(response.hasPrefix("HTTP/1.1 431 "), "\(response)")
            #expect(response.contains(#""code":"headers_too_large""#), "\(response)")
        }
    }

    @Test("CONNECT is refused without a page, in both versions of HTTP")
    func connect() async throws {
        try await RunningService.run { service in
            let first = try await response(
                to: "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", of: service)
            #expect(first.hasPrefix("HTTP/1.1 4"), "\(first)")
            #expect(first.contains("Content-Type: application/json"), "\(first)")
            var client = try await RawHTTP2.open(port: service.http)
            try await client.headers(
                1, [(":method", "CONNECT"), (":authority", "localhost:80")], isWhole: true)
            let second = await client.ending(of: 1, isWhole: true)
            #expect(second.fields.first(name: ":status")?.hasPrefix("4") == true)
            #expect(second.fields.first(name: "content-type") == "application/json")
            await client.close()
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import HTTPService

/// The end of a connection after a response (RFC 9112, section 9.3).
@Suite("The header Connection", .ownThreads)
struct ConnectionHeaderTests {
    @Test(
        "a connection ends after the response if the client asks for that",
        arguments: [
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Close\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close, TE\r\n\r\n",
            "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n",
            "GET /healthz HTTP/1.0\r\n\r\n",
        ])
    func ends(request: String) async throws {
        try await RunningService.run { service in
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(request)
            // Returns only at the end of the connection.
            let response = try await connection.rest()
            #expect(response.contains(" 200 OK\r\n"), "\(response)")
        }
    }

    @Test("a connection stays open otherwise, and without a host HTTP/1.1 is refused")
    func stays() async throws {
        try await RunningService.run { service in
            let connection = try await RawConnection.open(port: service.http)
            for _ in 0..<2 {
                try await connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let response = try await connection.rest { $0.contains("\r\n\r\n") }
                #expect(response.hasPrefix("HTTP/1.1 200"))
            }
            let other = try await RawConnection.open(port: service.http)
            try await other.send("GET /healthz HTTP/1.1\r\n\r\n")
            #expect(try await other.rest { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test("a request refused instead of 100 Continue closes the connection, and says so")
    func refusedEarly() async throws {
        try await RunningService.run {
            $0.bodyLimit = 1_000
            $0.tokens = Tokens([.init(token: "in", scopes: [.ingest], app: nil)])
        } use: { service in
            for (status, headers) in [(401, ""), (413, "Authorization: Bearer in\r\n")] {
                let connection = try await RawConnection.open(port: service.http)
                try await connection.send(
                    "POST /v1/metrickit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n"
                        + "Expect: 100-continue\r\n\(headers)\r\n")
                // Returns only at the end of the connection.
                let response = try await connection.rest()
                #expect(response.hasPrefix("HTTP/1.1 \(status) "), "\(response)")
                #expect(response.lowercased().contains("\r\nconnection: close\r\n"), "\(response)")
                #expect(response.hasSuffix("}"))
            }
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import HTTPService

/// Clients that wait for `100 Continue` before sending a body.
@Suite("Expect: 100-continue", .ownThreads)
struct ContinueTests {
    private static let routes = [
        "/v1/logs", "/v1/traces", "/v1/metrics", "/v1/metrickit", "/v1/symbolicate", "/v1/lookup",
        "/v1/symbols", "/v1/symbols/missing",
    ]

    private func head(_ path: String, count: Int, _ more: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(more)"
            + "Content-Length: \(count)\r\nExpect: 100-continue\r\n\r\n"
    }

    @Test("every route with a body sends 100 Continue", arguments: routes)
    func continues(path: String) async throws {
        try await RunningService.run { service in
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(head(path, count: 2))
            let asked = try await connection.rest { $0.hasSuffix("\r\n\r\n") }
            #expect(asked == "HTTP/1.1 100 Continue\r\n\r\n")
            try await connection.send("{}")
            let answer = try await connection.rest { $0.contains("\r\n\r\n") }
            #expect(answer.hasPrefix("HTTP/1.1 "), "\(answer)")
            #expect(!answer.contains("100 Continue"))
        }
    }

    @Test("a second request on the connection gets 100 Continue too, in any case")
    func again() async throws {
        try await RunningService.run { service in
            let connection = try await RawConnection.open(port: service.http)
            for expectation in ["100-continue", "100-Continue"] {
                try await connection.send(
                    head("/v1/logs", count: 2).replacing("100-continue", with: expectation))
                _ = try await connection.rest { $0.hasSuffix("100 Continue\r\n\r\n") }
                try await connection.send("{}")
                let answer = try await connection.rest { $0.hasSuffix("{}") }
                #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
            }
        }
    }

    @Test("a request refused by its head gets only the refusal")
    func refused() async throws {
        try await RunningService.run {
            $0.bodyLimit = 1_000
            $0.bundleLimit = 1_000
            $0.tokens = Tokens([.init(token: "in", scopes: [.ingest, .upload], app: nil)])
        } use: { service in
            let token = "Authorization: Bearer in\r\n"
            for (head, status) in [
                (head("/v1/logs", count: 2), 401), (head("/v1/symbols", count: 2), 401),
                (head("/v1/logs", count: 1_001, token), 413),
                (head("/v1/metrickit", count: 1_001, token), 413),
                (head("/v1/symbols", count: 1_001, token), 413),
                (head("/v1/logs", count: 2, token + "Content-Encoding: br\r\n"), 415),
                (head("/nowhere", count: 2, token), 404),
            ] {
                let connection = try await RawConnection.open(port: service.http)
                try await connection.send(head)
                let answer = try await connection.rest { $0.hasSuffix("}") }
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            }
        }
    }

    @Test("without the header there is no 100 Continue")
    func unasked() async throws {
        try await RunningService.run { service in
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(
                head("/v1/logs", count: 2).replacing("Expect: 100-continue\r\n", with: "") + "{}")
            let answer = try await connection.rest { $0.hasSuffix("{}") }
            #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
        }
    }

    @Test("curl sends a large body without delay, over both versions", .enabled(if: Curl.isThere))
    func curl() async throws {
        try await RunningService.run { service in
            let folder = try TestFolder()
            let spaces = String(repeating: " ", count: 2 << 20)
            try folder.write("{\(spaces)}", to: "body")
            for version in ["--http1.1", "--http2-prior-knowledge"] {
                try shell(
                    """
                    curl -s -S -v \(version) -H 'content-type: application/json' \
                    -H 'expect: 100-continue' --expect100-timeout 600 \
                    --data-binary @body http://127.0.0.1:\(service.http)/v1/logs 2> said > answer
                    grep -q '^< HTTP/[12.]* 200' said
                    test "$(cat answer)" = '{}'
                    """, in: folder.url)
            }
        }
    }
}

/// The curl program, if it is installed.
enum Curl {
    static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")
}

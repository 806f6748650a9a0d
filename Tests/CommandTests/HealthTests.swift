import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("symbolist health", .ownThreads)
struct HealthTests {
    @Test(
        "a service is healthy if its response is 200",
        arguments: [("200 OK", 0), ("503 Service Unavailable", 4)] as [(String, Int32)])
    func answers(status: String, code: Int32) throws {
        let server = try OneReplyServer(status: status)
        defer { server.close() }
        let run = try Workspace().symbolist(
            "health", "--server", "http://127.0.0.1:\(server.port)/")
        #expect(run.status == code)
        #expect(server.request.hasPrefix("GET /healthz HTTP/1.1\r\n"))
        #expect(run.output.isEmpty)
        let problem = "http://127.0.0.1:\(server.port)/: returned 503: check the log of the service"
        #expect(run.problems == (code == 0 ? [] : [problem]))
    }

    @Test(
        "an unreachable service is not healthy",
        arguments: [
            (
                "http://127.0.0.1:1",
                "connection refused: check that the service is running on this port"
            ),
            (
                "https://127.0.0.1:1",
                "connection refused: check that the service is running on this port"
            ),
            (
                "http://host.invalid:4318",
                "host not found: check that the service is running on this port"
            ),
            ("nonsense", "is not a server URL: use http://HOST:PORT or https://HOST:PORT"),
            ("localhost:4318", "is not a server URL: use http://HOST:PORT or https://HOST:PORT"),
        ])
    func unreachable(server: String, problem: String) throws {
        let run = try Workspace().symbolist("health", "--server", server)
        #expect(run.status == 4)
        #expect(run.problems == ["\(server): \(problem)"])
    }

    @Test(
        "each status has a next step",
        arguments: [
            (
                "401 Unauthorized",
                "returned 401: needs credentials of a proxy: use the service's own address"
            ),
            ("404 Not Found", "returned 404: not a Symbolist service: check the address and port"),
            (
                "421 Misdirected Request",
                "returned 421: host not accepted: add it to http.hosts"
            ),
            ("302 Found", "returned 302: redirected: use the service's own address"),
        ])
    func statuses(status: String, problem: String) throws {
        let server = try OneReplyServer(status: status)
        defer { server.close() }
        let address = "http://127.0.0.1:\(server.port)"
        let run = try Workspace().symbolist("health", "--server", address)
        #expect(run.status == 4)
        #expect(run.problems == ["\(address): \(problem)"])
    }
}

/// A server that responds to one request with a status and an empty body.
private final class OneReplyServer: Sendable {
    struct Failure: Error {}

    let port: UInt16
    private let listener: Int32
    private let received = Mutex("")

    /// The request, once the response has been sent.
    var request: String { received.withLock { $0 } }

    init(status: String) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isOpen = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isOpen else { throw Failure() }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { self.reply(status) }
    }

    /// Stops waiting for a request.
    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
    }

    private func reply(_ status: String) {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe max(read(connection, &buffer, buffer.count), 0)
        received.withLock { $0 = String(decoding: buffer[..<count], as: UTF8.self) }
        let reply = Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n".utf8)
        _ = unsafe write(connection, reply, reply.count)
        Glibc.close(connection)
    }
}

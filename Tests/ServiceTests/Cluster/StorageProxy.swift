import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTP1
import Synchronization

/// An S3-compatible server in front of another one, which fails as a test demands.
final class StorageProxy: Sendable {
    enum Fault: Hashable, Sendable {
        /// Closes each connection without a response.
        case away
        /// Responds to each request with an error.
        case error(Int, code: String)
        /// Responds after a delay.
        case slow(Duration)
        /// Changes the last byte of each object that is downloaded.
        case wrongBytes
        /// Stores objects, and responds that they exist already.
        case claimsExistence
    }

    private struct State {
        var fault: Fault?
        var conditionalCount = 0
    }

    private let server: RestartableServer
    private let target: String
    private let state = Mutex(State())

    /// - Parameter target: The URL of the other server.
    init(to target: String) async throws {
        server = try RestartableServer()
        self.target = target
        try await server.start { try await self.response(to: $0) }
    }

    var url: String { server.url }

    var fault: Fault? {
        get { state.withLock(\.fault) }
        set { state.withLock { $0.fault = newValue } }
    }

    /// The number of requests that depend on a condition, which servers do not implement alike.
    var conditionalCount: Int { state.withLock(\.conditionalCount) }

    func stop() async { await server.stop() }

    private struct Away: Error {}

    private func response(to request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 28)
        let conditions = ["if-match", "if-none-match"].compactMap { HTTPField.Name($0) }
        if conditions.contains(where: { request.headers[$0] != nil }) {
            state.withLock { $0.conditionalCount += 1 }
        }
        let fault = fault
        switch fault {
        case .away: throw Away()
        case .error(let status, let code): return Self.error(status, code)
        case .slow(let delay): try await Task.sleep(for: delay)
        case .wrongBytes, .claimsExistence, nil: break
        }
        var response = try await forward(request, body)
        if fault == .claimsExistence, request.method == .put {
            return Self.error(412, "PreconditionFailed")
        }
        if fault == .wrongBytes, request.method == .get, response.status == 200,
            !response.body.isEmpty
        {
            response.body[response.body.count - 1] ^= 1
        }
        return Response(
            status: .init(code: response.status), headers: response.headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
    }

    private static func error(_ status: Int, _ code: String) -> Response {
        Response(
            status: .init(code: status),
            body: ResponseBody(
                byteBuffer: ByteBuffer(string: "<Error><Code>\(code)</Code></Error>")))
    }

    private struct Forwarded {
        var status: Int
        var headers: HTTPFields
        var body: [UInt8]
    }

    /// The host stays that of the proxy, because the client has signed it.
    private func forward(_ request: Request, _ body: ByteBuffer) async throws -> Forwarded {
        var copy = HTTPClientRequest(url: target + request.uri.string)
        copy.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headers where field.name != .contentLength {
            copy.headers.add(name: field.name.rawName, value: field.value)
        }
        copy.headers.replaceOrAdd(name: "host", value: "127.0.0.1:\(server.port)")
        if body.readableBytes > 0 { copy.body = .bytes(body) }
        let response = try await HTTPClient.shared.execute(copy, timeout: .seconds(60))
        var headers = HTTPFields()
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name), name != .transferEncoding,
                name != .contentLength
            else { continue }
            headers[name] = value
        }
        return Forwarded(
            status: Int(response.status.code), headers: headers,
            body: Array(try await response.body.collect(upTo: 1 << 28).readableBytesView))
    }
}

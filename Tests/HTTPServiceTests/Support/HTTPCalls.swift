import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

/// A response of the server.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]
    let version: HTTPVersion

    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? { headers.first(name: name) }

    func object() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
    }

    /// Returns the list in a response of the form `{"name": […]}`.
    func list(_ name: String) throws -> [[String: Any]] {
        try #require(try object()[name] as? [[String: Any]])
    }
}

extension HTTPClient {
    /// A client that waits as long as its caller does, whereas the shared client gives up after 90
    /// seconds without data. It fails at once if there is no listener.
    static let patient = {
        var configuration = HTTPClient.Configuration(timeout: .init(connect: .hours(1)))
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(configuration: configuration)
    }()
}

extension RunningService {
    func send(
        _ method: String, _ path: String, _ headers: [String: String] = [:],
        body: [UInt8]? = nil, scheme: String = "http", client: HTTPClient = .patient
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "\(scheme)://127.0.0.1:\(http)\(path)")
        request.method = HTTPMethod(rawValue: method)
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await client.execute(request, timeout: .seconds(600))
        let bytes = try await response.body.collect(upTo: 1 << 28)
        return Answer(
            status: Int(response.status.code), headers: response.headers,
            body: Array(bytes.readableBytesView), version: response.version)
    }

    func get(_ path: String, _ headers: [String: String] = [:]) async throws -> Answer {
        try await send("GET", path, headers)
    }

    func post(
        _ path: String, _ body: [UInt8], _ headers: [String: String] = [:]
    ) async throws -> Answer {
        try await send("POST", path, headers, body: body)
    }
}

/// Expects an error response in the form of the contract.
func expectError(
    _ answer: Answer, _ status: Int, _ code: String, _ message: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.header("content-type") == "application/json", sourceLocation: sourceLocation)
    let object = try answer.object()
    let error = try #require(
        object["error"] as? [String: String], "\(answer.text)", sourceLocation: sourceLocation)
    #expect(object.count == 1 && error.count == 2, sourceLocation: sourceLocation)
    #expect(error["code"] == code, "\(answer.text)", sourceLocation: sourceLocation)
    expectSentence(error["message"] ?? "", sourceLocation: sourceLocation)
    if let message {
        #expect(
            error["message"]?.contains(message) == true, "\(answer.text)",
            sourceLocation: sourceLocation)
    }
}

/// Expects a text of the form `subject: problem: next step`.
func expectSentence(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let parts = text.components(separatedBy: ": ")
    #expect(
        parts.count >= 3 && parts.allSatisfy { !$0.isEmpty } && !text.hasSuffix("."), "\(text)",
        sourceLocation: sourceLocation)
}

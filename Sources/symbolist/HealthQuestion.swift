import AsyncHTTPClient
import ErrorDescriptions
import Foundation
import JSONText
import NIOCore
import NIOHTTP1
import NIOSSL

/// Asks a service whether it is alive, and finds out why it cannot be asked.
///
/// Its certificate is not checked: nothing is sent to it, and a container calls itself by an address.
struct HealthQuestion {
    let server: String

    private static let timeout = TimeAmount.seconds(2)
    private static let answerLimit = 1 << 16
    private static let wrongAddress =
        "is not an address: give http://HOST:PORT or https://HOST:PORT"

    /// What happened and what to do, or `nil` if the service is alive.
    func problem() async throws -> String? {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        let client = HTTPClient(configuration: configuration)
        let problem = await problem(client)
        try await client.shutdown()
        return problem
    }

    private func problem(_ client: HTTPClient) async -> String? {
        do {
            return try await Self.problem(of: ask(server, client))
        } catch {
            return await explain(ErrorDescription.requestError(error), client)
        }
    }

    private func ask(_ server: String, _ client: HTTPClient) async throws -> HTTPClientResponse {
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        return try await client.execute(
            HTTPClientRequest(url: base + "/healthz"), timeout: Self.timeout)
    }

    private static func problem(of response: HTTPClientResponse) async throws -> String? {
        let status = response.status.code
        switch status {
        case 200: return nil
        case 401, 403: return "answers \(status): a proxy wants credentials: ask the service itself"
        case 404: return "answers 404: is not Symbolist: check the address and port"
        case 421: return "answers 421: does not know this host: add it to http.hosts"
        case 300..<400: return "answers \(status): has moved: ask the service itself"
        default:
            let body = try await response.body.collect(upTo: answerLimit)
            let error = JSONDocument(Array(body.readableBytesView)).root?["error"]
            let message = error?["message"]?.string.map { " (\($0))" } ?? ""
            return "answers \(status)\(message): see the log of the service"
        }
    }

    private func explain(_ error: any Error, _ client: HTTPClient) async -> String {
        guard server.hasPrefix("http://") || server.hasPrefix("https://") else {
            return Self.wrongAddress
        }
        let text = "\(ErrorDescription(error))"
        if server.hasPrefix("https://"), text.contains("does not speak TLS") {
            return "does not speak TLS: use http://"
        }
        switch error {
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            return await explainClosing(client)
        case is HTTPParserError: return await explainClosing(client)
        case let error as HTTPClientError
        where [.deadlineExceeded, .connectTimeout, .readTimeout].contains(error):
            return "\(text): check the port, and whether the service is overloaded"
        case let error as HTTPClientError where [.invalidURL, .emptyHost].contains(error):
            return Self.wrongAddress
        default: return "\(text): \(Self.nextStep(text))"
        }
    }

    private static func nextStep(_ text: String) -> String {
        if text.contains("client certificate") {
            return "ask without one in between (tls.client_ca)"
        }
        if text.hasPrefix("TLS") { return "check the certificate, and the log of the service" }
        return "is the service running, and is this its port?"
    }

    /// A server that expects TLS closes the connection without a word, and one of gRPC alone does not
    /// speak HTTP/1.1.
    private func explainClosing(_ client: HTTPClient) async -> String {
        guard server.hasPrefix("http://") else {
            return "closed the connection: it may want a client certificate (tls.client_ca)"
        }
        do {
            _ = try await ask("https" + server.dropFirst("http".count), client)
            return "expects TLS: use https://"
        } catch {
            return "\(ErrorDescription(error))".contains("client certificate")
                ? "expects TLS: use https://"
                : "does not speak HTTP/1.1: is it the port of gRPC?"
        }
    }
}

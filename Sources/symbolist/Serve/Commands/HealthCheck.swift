import AsyncHTTPClient
import ErrorDescriptions
import Foundation
import JSONText
import NIOCore
import NIOHTTP1
import NIOSSL
import Problems
import ServiceClient

/// A request to a service's health endpoint, with a diagnosis if it fails.
///
/// The certificate is not verified: the request carries no data, and containers use an address as
/// host name.
struct HealthCheck {
    let server: String
    /// The certificate to present to a service that requires one.
    let tls: ClientTLS

    private static let timeout = TimeAmount.seconds(2)
    private static let responseLimit = 1 << 16
    private static let wrongAddress = Problem(
        detail: "is not a server URL", suggestion: "use http://HOST:PORT or https://HOST:PORT")

    /// Returns the problem, without a subject, or `nil` if the service is healthy.
    func problem() async throws -> Problem? {
        var tls = tls.configuration
        tls.certificateVerification = .none
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        let client = HTTPClient(configuration: configuration)
        let problem = await problem(using: client)
        try await client.shutdown()
        return problem
    }

    private func problem(using client: HTTPClient) async -> Problem? {
        do {
            return try await Self.problem(of: ask(server, using: client))
        } catch {
            return await explain(ErrorDescription.requestError(error), using: client)
        }
    }

    private func ask(
        _ server: String, using client: HTTPClient
    ) async throws -> HTTPClientResponse {
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        return try await client.execute(
            HTTPClientRequest(url: base + "/healthz"), timeout: Self.timeout)
    }

    private static func problem(of response: HTTPClientResponse) async throws -> Problem? {
        let status = response.status.code
        func unhealthy(_ detail: String, suggestion: String) -> Problem {
            Problem(detail: "returned \(status)\(detail)", suggestion: suggestion)
        }
        switch status {
        case 200: return nil
        case 401, 403:
            return unhealthy(
                ": needs credentials of a proxy", suggestion: "use the service's own address")
        case 404:
            return unhealthy(
                ": not a Symbolist service", suggestion: "check the address and port")
        case 421: return unhealthy(": host not accepted", suggestion: "add it to http.hosts")
        case 300..<400:
            return unhealthy(": redirected", suggestion: "use the service's own address")
        default:
            let body = try await response.body.collect(upTo: responseLimit)
            let error = JSONDocument(Array(body.readableBytesView)).root?["error"]
            let message = error?["message"]?.string.map { " (\($0))" } ?? ""
            return unhealthy(message, suggestion: "check the log of the service")
        }
    }

    private func explain(_ error: any Error, using client: HTTPClient) async -> Problem {
        guard server.hasPrefix("http://") || server.hasPrefix("https://") else {
            return Self.wrongAddress
        }
        let cause = ErrorDescription(error)
        if server.hasPrefix("https://"), cause.tlsFailure == .plainText {
            return Problem(detail: "does not speak TLS", suggestion: "use http://")
        }
        switch error {
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            return await explainClosing(using: client)
        case is HTTPParserError: return await explainClosing(using: client)
        case let error as HTTPClientError
        where [.deadlineExceeded, .connectTimeout, .readTimeout].contains(error):
            return Problem(
                detail: "\(cause)",
                suggestion: "check the port, and whether the service is overloaded")
        case let error as HTTPClientError where [.invalidURL, .emptyHost].contains(error):
            return Self.wrongAddress
        default:
            return Problem(detail: "\(cause)", suggestion: Self.suggestion(for: cause.tlsFailure))
        }
    }

    private static func suggestion(for failure: TLSFailure?) -> String {
        switch failure {
        case .missingClientCertificate: ClientTLS.suggestion
        case .plainText, .other: "check the certificate, and the log of the service"
        case nil: "check that the service is running on this port"
        }
    }

    /// Returns the probable reason why a server closed the connection. A server that expects TLS
    /// sends no reply, and a gRPC port does not speak HTTP/1.1.
    private func explainClosing(using client: HTTPClient) async -> Problem {
        let expectsTLS = Problem(detail: "expects TLS", suggestion: "use https://")
        guard server.hasPrefix("http://") else {
            return Problem(
                detail: "closed the connection, as if it required a client certificate",
                suggestion: ClientTLS.suggestion)
        }
        do {
            _ = try await ask("https" + server.dropFirst("http".count), using: client)
            return expectsTLS
        } catch {
            return ErrorDescription(error).tlsFailure == .missingClientCertificate
                ? expectsTLS
                : Problem(
                    detail: "does not speak HTTP/1.1", suggestion: "is it the port of gRPC?")
        }
    }
}

import Foundation
import NIOHTTP1

/// Credentials of a container, from an endpoint of its platform.
///
/// The variables are `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` (on ECS) or
/// `AWS_CONTAINER_CREDENTIALS_FULL_URI` (with EKS Pod Identity), and for the latter
/// `AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE` or `AWS_CONTAINER_AUTHORIZATION_TOKEN`. See "Container
/// credential provider" in the AWS SDKs and Tools reference guide.
struct ContainerCredentials: CredentialSource {
    let environment: [String: String]
    let client: CredentialClient

    private static let subject = "container credentials"
    private static let relativeHost = "http://169.254.170.2"
    /// The hosts that may be addressed without TLS, besides the machine itself: those of ECS and
    /// EKS.
    private static let plainHosts: Set<String> = [
        "localhost", "[::1]", "::1", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]",
        "fd00:ec2::23",
    ]

    func credentials() async throws -> Credentials? {
        guard let url = try url() else { return nil }
        var headers: [String: String] = [:]
        if let file = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] {
            headers["Authorization"] = try CredentialFile.text(of: file)
        } else {
            headers["Authorization"] = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"]
        }
        let response = try await client.send(
            CredentialRequest(Self.subject, method: .GET, url: url, headers: headers))
        return try CredentialDocument(response, subject: Self.subject).credentials
    }

    private func url() throws -> String? {
        if let path = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] {
            return Self.relativeHost + path
        }
        guard let url = environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] else { return nil }
        guard Self.isAllowed(url) else {
            throw ObjectStorageError.invalid(
                "AWS_CONTAINER_CREDENTIALS_FULL_URI", detail: "not a trusted address",
                suggestion: "use HTTPS, or HTTP to this machine")
        }
        return url
    }

    /// Whether the token may be sent to an address: one over TLS, or one of the local endpoints.
    static func isAllowed(_ url: String) -> Bool {
        guard let parts = URLComponents(string: url), let host = parts.host else { return false }
        if parts.scheme == "https" { return true }
        return parts.scheme == "http" && (plainHosts.contains(host) || isLoopback(host))
    }

    /// Whether a host is an address of 127.0.0.0/8, not a name that starts like one.
    private static func isLoopback(_ host: String) -> Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.first == "127"
            && numbers.allSatisfy { UInt8($0) != nil }
    }
}

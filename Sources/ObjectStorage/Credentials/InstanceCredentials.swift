import NIOHTTP1
import PercentEncoding

/// Credentials of an EC2 instance's role, from version 2 of the instance metadata service (IMDSv2).
///
/// The variables are `AWS_EC2_METADATA_DISABLED` and `AWS_EC2_METADATA_SERVICE_ENDPOINT`. See "Use
/// the Instance Metadata Service" in the EC2 user guide.
struct InstanceCredentials: CredentialSource {
    let environment: [String: String]
    let client: CredentialClient

    private static let subject = "instance metadata"
    private static let rolePath = "/latest/meta-data/iam/security-credentials/"
    private static let tokenSeconds = "21600"
    /// The maximum length of a role's name in bytes. IAM limits it to 64.
    private static let roleLimit = 128

    func credentials() async throws -> Credentials? {
        guard environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() != "true",
            let token = try await token()
        else { return nil }
        let role = try await text(Self.rolePath, token: token)
        guard (1...Self.roleLimit).contains(role.utf8.count),
            role.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw CredentialClient.malformed(Self.subject) }
        let response = try await get(Self.rolePath + role.percentEncoded(), token: token)
        return try CredentialDocument(response, subject: Self.subject).credentials
    }

    /// Returns a session token of the metadata service, or `nil` if there is none because the
    /// machine is not an EC2 instance.
    private func token() async throws -> String? {
        let response = try await client.probe(
            CredentialRequest(
                Self.subject, method: .PUT, url: "\(endpoint)/latest/api/token",
                headers: ["X-aws-ec2-metadata-token-ttl-seconds": Self.tokenSeconds],
                limit: .seconds(client.probeSeconds)))
        return response.map { String(decoding: $0, as: UTF8.self) }
    }

    private func text(_ path: String, token: String) async throws -> String {
        let text = String(decoding: try await get(path, token: token), as: UTF8.self)
        return String(text.prefix { !$0.isNewline })
    }

    private func get(_ path: String, token: String) async throws -> [UInt8] {
        try await client.send(
            CredentialRequest(
                Self.subject, method: .GET, url: endpoint + path,
                headers: ["X-aws-ec2-metadata-token": token]))
    }

    private var endpoint: String {
        let given = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] ?? "http://169.254.169.254"
        return given.hasSuffix("/") ? String(given.dropLast()) : given
    }
}

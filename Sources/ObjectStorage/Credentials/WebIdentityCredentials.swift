import Foundation
import NIOHTTP1

/// Credentials of a role for the token of another identity provider, such as a Kubernetes cluster.
///
/// The variables are `AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`, `AWS_ROLE_SESSION_NAME` and
/// `AWS_ENDPOINT_URL_STS`. See "AssumeRoleWithWebIdentity" in the STS API reference.
struct WebIdentityCredentials: CredentialSource {
    let environment: [String: String]
    let region: String
    let client: CredentialClient

    private static let subject = "web identity"

    func credentials() async throws -> Credentials? {
        guard let file = environment["AWS_WEB_IDENTITY_TOKEN_FILE"],
            let role = environment["AWS_ROLE_ARN"]
        else { return nil }
        let response = try await client.send(
            CredentialRequest(
                Self.subject, method: .POST, url: endpoint,
                headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: form(role: role, token: try CredentialFile.text(of: file))))
        return try Self.credentials(from: response)
    }

    private var endpoint: String {
        environment["AWS_ENDPOINT_URL_STS"]
            ?? "https://sts.\(region).\(ObjectLocation.domain(of: region))/"
    }

    private func form(role: String, token: String) -> String {
        [
            QueryItem(name: "Action", value: "AssumeRoleWithWebIdentity"),
            QueryItem(name: "Version", value: "2011-06-15"),
            QueryItem(name: "RoleArn", value: role),
            QueryItem(
                name: "RoleSessionName", value: environment["AWS_ROLE_SESSION_NAME"] ?? "symbolist"),
            QueryItem(name: "WebIdentityToken", value: token),
        ].encoded
    }

    private static func credentials(from response: [UInt8]) throws -> Credentials {
        let found = (try? XMLReader.document(response))?["AssumeRoleWithWebIdentityResult"]?[
            "Credentials"]
        guard let found, let id = found["AccessKeyId"]?.text,
            let secret = found["SecretAccessKey"]?.text,
            let token = found["SessionToken"]?.text,
            let expiration = found["Expiration"].flatMap({ Date(timestamp: $0.text) })
        else { throw CredentialClient.malformed(subject) }
        return Credentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: token, expiration: expiration)
    }
}

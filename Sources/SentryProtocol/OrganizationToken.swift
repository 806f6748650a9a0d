import Crypto
import Foundation
import HexadecimalDigits

/// A token that contains the URL of its server, so that `sentry-cli` needs no other setting:
/// `sntrys_`, JSON in base64, `_`, and 32 random bytes in base64.
struct OrganizationToken: Sendable {
    private let url: String
    private let organization: String
    /// The time of its creation, in seconds since 1970.
    private let time: Double

    private struct Payload: Encodable {
        let iat: Double
        let url: String
        let region_url: String
        let org: String
    }

    /// Returns `nil` if the URL is not `http` or `https` with a host and without a path, user,
    /// query or fragment: clients accept no other URL.
    init?(url: String, organization: String, time: Double) {
        let trimmed = url.hasSuffix("/") ? String(url.dropLast()) : url
        guard let parts = URLComponents(string: trimmed),
            ["http", "https"].contains(parts.scheme), parts.host?.isEmpty == false,
            parts.path.isEmpty, parts.user == nil, parts.query == nil, parts.fragment == nil
        else { return nil }
        self.url = trimmed
        self.organization = organization
        self.time = time
    }

    /// Returns a new token with a random secret.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let payload = try encoder.encode(
            Payload(iat: time, url: url, region_url: url, org: organization))
        // The standard alphabet, because `_` separates the parts; only the first keeps its padding.
        let end = Data(NewToken.randomBytes()).base64EncodedString().replacing("=", with: "")
        return "sntrys_\(payload.base64EncodedString())_\(end)"
    }
}

/// A random token for clients of the service.
public struct NewToken: Sendable {
    /// The token.
    public let text: String

    private static let byteCount = 32

    /// A token of hexadecimal digits.
    public init() { text = Self.randomBytes().hexadecimal }

    /// A token in the form of ``OrganizationToken``, or `nil` if `url` is not the root of a server.
    ///
    /// - Parameter time: The time now, in seconds since 1970.
    public init?(url: String, organization: String, time: Double) throws {
        guard let form = OrganizationToken(url: url, organization: organization, time: time)
        else { return nil }
        text = try form.text()
    }

    /// The SHA-256 of the token, for the configuration.
    public var digest: String { SHA256.hash(data: Data(text.utf8)).hexadecimal }

    static func randomBytes() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

import Crypto
import Foundation
import HexadecimalDigits

/// Signs requests by AWS Signature Version 4.
///
/// Signing is a pure function. The signature always covers the digest of the body, so that the body
/// of a signed request cannot be replaced, even over plain HTTP. See "AWS Signature Version 4 for
/// API requests" in the IAM user guide, and "Signature Calculations for the Authorization Header"
/// in the S3 API reference.
struct RequestSigner: Sendable {
    var credentials: Credentials
    var region: String
    var service = "s3"
    /// The time of the request, which may differ from the server's by 15 minutes.
    var date: Date

    /// Returns the headers of a request, including those with the signature.
    func signedHeaders(
        of request: CanonicalRequest
    ) -> [String: String] {
        var request = request
        request.headers["x-amz-date"] = date.signingTime
        request.headers["x-amz-content-sha256"] = request.payloadDigest
        request.headers["x-amz-security-token"] = credentials.sessionToken
        request.headers["authorization"] = authorization(of: request)
        return request.headers
    }

    /// Returns the value of the header `Authorization` for a request that has all other headers.
    func authorization(of request: CanonicalRequest) -> String {
        """
        \(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scope), \
        SignedHeaders=\(request.signedHeaderNames), Signature=\(signature(of: request))
        """
    }

    private static let algorithm = "AWS4-HMAC-SHA256"

    private var scope: String { "\(date.signingDay)/\(region)/\(service)/aws4_request" }

    func stringToSign(_ request: CanonicalRequest) -> String {
        let digest = SHA256.hash(data: Data(request.text.utf8)).hexadecimal
        return "\(Self.algorithm)\n\(date.signingTime)\n\(scope)\n\(digest)"
    }

    private func signature(of request: CanonicalRequest) -> String {
        Self.code(of: stringToSign(request), key: signingKey).hexadecimal
    }

    /// The signing key, which is valid for one day, region and service.
    var signingKey: SymmetricKey {
        let secret = SymmetricKey(data: Data("AWS4\(credentials.secretAccessKey)".utf8))
        return [date.signingDay, region, service, "aws4_request"].reduce(secret) { key, text in
            SymmetricKey(data: Self.code(of: text, key: key))
        }
    }

    private static func code(of text: String, key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
    }
}

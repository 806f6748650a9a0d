import Crypto
import Foundation
import HexadecimalDigits

/// Signs requests by AWS Signature Version 4.
///
/// It is a pure function of its values; the body is always signed by its digest, so that a signed
/// request cannot carry other bytes, over plain HTTP either. See "AWS Signature Version 4 for API
/// requests" in the IAM user guide, and "Signature Calculations for the Authorization Header" in
/// the S3 API reference.
struct RequestSigner: Sendable {
    var credentials: Credentials
    var region: String
    var service = "s3"
    /// The time of the request, which may differ from the server's by 15 minutes.
    var date: Date

    /// Returns the headers of a request, with those that sign it.
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

    /// The key that is valid for a day, a region and a service.
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

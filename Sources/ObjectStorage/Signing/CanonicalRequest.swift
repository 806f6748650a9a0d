import Crypto
import Foundation

/// The parts of a request that a signature covers.
///
/// See "Create a canonical request" in "AWS Signature Version 4 for API requests".
struct CanonicalRequest: Hashable, Sendable {
    var method: String
    /// The encoded path. S3 signs it unchanged, while other services encode it twice.
    var path: String
    var query: [QueryItem] = []
    /// The headers by their names in lower case.
    var headers: [String: String]
    /// The SHA-256 of the body, in hexadecimal.
    var payloadDigest: String

    var signedHeaderNames: String { headers.keys.sorted().joined(separator: ";") }

    var text: String {
        let lines = headers.sorted { $0.key < $1.key }.map {
            "\($0.key):\(Self.trimmed($0.value))\n"
        }
        return [method, path, query.encoded, lines.joined(), signedHeaderNames, payloadDigest]
            .joined(separator: "\n")
    }

    /// Returns a value without surrounding spaces, and with runs of spaces replaced by a single
    /// one.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }
}

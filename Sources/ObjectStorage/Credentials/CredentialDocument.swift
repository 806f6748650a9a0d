import Foundation
import JSONText

/// The JSON document with credentials that the endpoints for containers and instances return.
struct CredentialDocument {
    let credentials: Credentials

    /// - Parameter subject: The sender, for errors.
    /// - Throws: ``ObjectStorageError`` if a member is missing or malformed.
    init(_ bytes: [UInt8], subject: String) throws {
        let root = JSONDocument(bytes, limits: Self.limits).root
        let time = root?["Expiration"]?.string
        let expiration = time.flatMap(Date.init(timestamp:))
        guard let root, let id = root["AccessKeyId"]?.string,
            let secret = root["SecretAccessKey"]?.string, !id.isEmpty, !secret.isEmpty,
            (time == nil) == (expiration == nil)
        else { throw CredentialClient.malformed(subject) }
        credentials = Credentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: root["Token"]?.string,
            expiration: expiration)
    }

    private static let limits = {
        var limits = JSONLimits()
        limits.depth = 8
        limits.tokens = 256
        return limits
    }()
}

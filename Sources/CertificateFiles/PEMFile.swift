import ErrorDescriptions
import Foundation
public import NIOSSL
public import Problems

/// A PEM file that a setting or an environment variable names.
///
/// A problem names the setting, the file and the next step, and nothing of the file's content.
public struct PEMFile: Hashable, Sendable {
    /// The key of the setting, such as `tls.key`, or the environment variable.
    public let setting: String
    public let path: String

    public init(_ setting: String, path: String) {
        self.setting = setting
        self.path = path
    }

    /// Returns the certificates in the file, at least one.
    ///
    /// - Throws: A problem if the file cannot be read or contains no certificate.
    public func certificates() throws(Problem) -> [NIOSSLCertificate] {
        let bytes = try bytes()
        // Parsing a file without certificates succeeds.
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty
        else { throw problem("contains no certificate", suggestion: "use a PEM file") }
        return certificates
    }

    /// Returns the private key in the file, and the bytes of the file.
    ///
    /// - Throws: A problem if the file cannot be read, contains no private key or an encrypted one.
    func privateKey() throws(Problem) -> (key: NIOSSLPrivateKey, pem: [UInt8]) {
        let bytes = try bytes()
        // Without this check, the library would ask for the password on the terminal.
        if Self.isEncrypted(bytes) {
            throw problem(
                "is encrypted with a password",
                suggestion: "decrypt it with 'openssl pkey -in \(path) -out NEW.key'")
        }
        guard let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
            throw problem("contains no private key", suggestion: "use a PEM file")
        }
        return (key, bytes)
    }

    /// Whether a key has the header of an encrypted one: that of PKCS #8 (RFC 7468, section 11), or
    /// that of the older format of OpenSSL (RFC 1421, section 4.6.1.1).
    private static func isEncrypted(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED"]
            .contains { text.contains($0) }
    }

    private func bytes() throws(Problem) -> [UInt8] {
        do { return Array(try Data(contentsOf: URL(filePath: path))) } catch {
            throw problem(
                "cannot be read (\(ErrorDescription(error)))",
                suggestion: "check the path and its permissions")
        }
    }

    func problem(_ detail: String, suggestion: String) -> Problem {
        Problem(setting, detail: "'\(path)' \(detail)", suggestion: suggestion)
    }
}

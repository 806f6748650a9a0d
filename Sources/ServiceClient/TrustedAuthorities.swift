import NIOSSL
import Problems

/// The certificate authorities to trust instead of the system's.
///
/// They are in the file named by `SSL_CERT_FILE`, as for curl, OpenSSL and git.
public struct TrustedAuthorities: Sendable {
    static let variable = "SSL_CERT_FILE"

    let certificates: [NIOSSLCertificate]

    /// - Returns: `nil` if the variable is not set.
    /// - Throws: `ServerRequestError.Kind.unusable` if the file contains no certificate.
    public static func named(
        in environment: [String: String]
    ) throws(ServerRequestError) -> TrustedAuthorities? {
        guard let path = environment[variable], !path.isEmpty else { return nil }
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(path)
            if !certificates.isEmpty { return Self(certificates: certificates) }
        } catch {}
        throw ServerRequestError(
            .unusable,
            problem: Problem(
                variable, detail: "'\(path)' contains no certificate", suggestion: "use a PEM file")
        )
    }

    /// The TLS settings that trust only these authorities.
    var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(certificates)
        return configuration
    }
}

import CertificateFiles
public import NIOSSL
import Problems

/// The certificates of a client: the authorities to trust instead of the system's, and its own
/// certificate for a service that requires one.
///
/// The authorities are in the file named by `SSL_CERT_FILE`, as for curl, OpenSSL and git. The
/// certificate is in the file named by `SYMBOLIST_CLIENT_CERTIFICATE`, and its key in that of
/// `SYMBOLIST_CLIENT_KEY`, or in the same file.
public struct ClientTLS: Sendable {
    private static let authoritiesVariable = "SSL_CERT_FILE"
    private static let certificateVariable = "SYMBOLIST_CLIENT_CERTIFICATE"
    private static let keyVariable = "SYMBOLIST_CLIENT_KEY"

    /// The next step if a service requires a certificate.
    public static let suggestion = "set \(certificateVariable) and \(keyVariable)"

    private let authorities: [NIOSSLCertificate]?
    private let pair: KeyPair?

    /// Reads the files that the environment names.
    ///
    /// - Throws: `ServerRequestError.Kind.unusable` if a file is unusable.
    public init(environment: [String: String]) throws(ServerRequestError) {
        do throws(Problem) {
            authorities = try Self.file(Self.authoritiesVariable, environment)?.certificates()
            pair = try Self.pair(environment)
        } catch { throw ServerRequestError(.unusable, problem: error) }
    }

    private static func pair(_ environment: [String: String]) throws(Problem) -> KeyPair? {
        guard let certificate = file(certificateVariable, environment) else {
            guard let key = file(keyVariable, environment) else { return nil }
            throw Problem(
                key.setting, detail: "is set alone", suggestion: "also set \(certificateVariable)")
        }
        return try KeyPair(
            certificate: certificate, key: file(keyVariable, environment) ?? certificate)
    }

    /// Build servers set the variable of a missing secret to an empty text.
    private static func file(_ variable: String, _ environment: [String: String]) -> PEMFile? {
        guard let path = environment[variable], !path.isEmpty else { return nil }
        return PEMFile(variable, path: path)
    }

    /// The TLS settings of connections.
    public var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let authorities { configuration.trustRoots = .certificates(authorities) }
        pair?.present(in: &configuration)
        return configuration
    }
}

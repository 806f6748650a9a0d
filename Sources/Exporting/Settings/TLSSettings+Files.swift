import CertificateFiles
import GRPCNIOTransportHTTP2
import NIOSSL
import Problems

/// The files of `tls.*`, read when the exporter is created, so that a mistake is reported at
/// startup and not at the first handshake.
extension ExporterSettingsValidator {
    /// Returns the configuration for OTLP/HTTP. Without `https` in the URL it has no effect.
    func tlsConfiguration() throws(ExporterSettingsError) -> TLSConfiguration {
        do throws(Problem) { return try readTLSFiles() } catch {
            throw ExporterSettingsError(problem: error)
        }
    }

    private func readTLSFiles() throws(Problem) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        let tls = settings.tls
        if let path = tls.authoritiesFile {
            configuration.trustRoots = .certificates(
                try PEMFile("\(key).tls.ca", path: path).certificates())
        }
        if let certificate = tls.certificateFile, let keyFile = tls.keyFile {
            let pair = try KeyPair(
                certificate: PEMFile("\(key).tls.certificate", path: certificate),
                key: PEMFile("\(key).tls.key", path: keyFile))
            pair.present(in: &configuration)
        }
        if tls.acceptsAnyCertificate { configuration.certificateVerification = .none }
        return configuration
    }

    /// Returns the configuration for OTLP/gRPC over `https`.
    func transportSecurity() throws(ExporterSettingsError)
        -> HTTP2ClientTransport.Posix.TransportSecurity
    {
        // The transport reads the files again; reading them here provides errors that name the
        // keys.
        _ = try tlsConfiguration()
        let tls = settings.tls
        return .tls { configuration in
            if let path = tls.authoritiesFile {
                configuration.trustRoots = .certificates([.file(path: path, format: .pem)])
            }
            if let path = tls.certificateFile {
                configuration.certificateChain = [.file(path: path, format: .pem)]
            }
            configuration.privateKey = tls.keyFile.map { .file(path: $0, format: .pem) }
            if tls.acceptsAnyCertificate {
                configuration.serverCertificateVerification = .noVerification
            }
        }
    }
}

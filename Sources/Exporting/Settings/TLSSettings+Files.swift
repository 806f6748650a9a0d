import ErrorDescriptions
import Foundation
import GRPCNIOTransportHTTP2
import NIOSSL

/// The files of `tls.*`, read when the exporter is created, so that a mistake is reported at
/// startup and not at the first handshake.
extension ExporterSettingsValidator {
    /// Returns the configuration for OTLP/HTTP. Without `https` in the URL it has no effect.
    func tlsConfiguration() throws(ExporterSettingsError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        let tls = settings.tls
        if let path = tls.authoritiesFile {
            configuration.trustRoots = .certificates(try certificates(path, field: "tls.ca"))
        }
        if let path = tls.certificateFile {
            configuration.certificateChain = try certificates(path, field: "tls.certificate")
                .map { .certificate($0) }
        }
        if let path = tls.keyFile { configuration.privateKey = .privateKey(try key(path)) }
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

    private func certificates(
        _ path: String, field: String
    ) throws(ExporterSettingsError) -> [NIOSSLCertificate] {
        let bytes = try bytes(path, field: field)
        guard let found = try? NIOSSLCertificate.fromPEMBytes(bytes), !found.isEmpty
        else { throw error(field, detail: "'\(path)' holds no certificate in PEM") }
        return found
    }

    private func key(_ path: String) throws(ExporterSettingsError) -> NIOSSLPrivateKey {
        let bytes = try bytes(path, field: "tls.key")
        guard let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem)
        else { throw error("tls.key", detail: "'\(path)' holds no private key in PEM") }
        return key
    }

    private func bytes(
        _ path: String, field: String
    ) throws(ExporterSettingsError) -> [UInt8] {
        do { return Array(try Data(contentsOf: URL(filePath: path))) } catch {
            throw self.error(field, detail: "'\(path)' can't be read: \(ErrorDescription(error))")
        }
    }
}

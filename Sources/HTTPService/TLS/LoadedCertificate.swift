import CertificateFiles
import Foundation
import NIOSSL
import Problems

/// The configured certificate files, loaded and validated.
struct LoadedCertificate: Sendable {
    let pair: KeyPair
    /// The authorities of client certificates. If empty, clients need no certificate.
    let authorities: [NIOSSLCertificate]
    /// Problems that do not prevent the use of the files.
    let warnings: [String]
    /// The TLS context of the gRPC listener.
    let grpcContext: NIOSSLContext

    init(_ files: TLSFiles) throws(ListenError) {
        do throws(Problem) {
            pair = try KeyPair(
                certificate: PEMFile("tls.certificate", path: files.certificate),
                key: PEMFile("tls.key", path: files.key))
            authorities =
                try files.clientAuthority.map { path throws(Problem) in
                    try PEMFile("tls.client_ca", path: path).certificates()
                } ?? []
        } catch { throw ListenError(error) }
        warnings =
            Self.warnings(
                "tls.certificate", path: files.certificate, certificates: pair.chain.prefix(1))
            + Self.warnings(
                "tls.client_ca", path: files.clientAuthority ?? "", certificates: authorities)
        var configuration = Self.configuration(pair, authorities: authorities)
        configuration.applicationProtocols = ["grpc-exp", "h2"]
        do { grpcContext = try NIOSSLContext(configuration: configuration) } catch {
            throw ListenError(
                Problem(
                    "tls.certificate", detail: "'\(files.certificate)' cannot be used",
                    suggestion: "use another certificate"))
        }
    }

    /// The TLS configuration that HTTP and gRPC have in common.
    var configuration: TLSConfiguration {
        Self.configuration(pair, authorities: authorities)
    }

    private static func configuration(
        _ pair: KeyPair, authorities: [NIOSSLCertificate]
    ) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: pair.chain.map { .certificate($0) },
            privateKey: .privateKey(pair.key))
        configuration.minimumTLSVersion = .tlsv12
        if !authorities.isEmpty {
            configuration.trustRoots = .certificates(authorities)
            // Clients have no host name to verify.
            configuration.certificateVerification = .noHostnameVerification
        }
        return configuration
    }

    private static func warnings(
        _ setting: String, path: String, certificates: some Sequence<NIOSSLCertificate>
    ) -> [String] {
        certificates.compactMap { $0.invalidity(at: time(nil)) }.map {
            "\(setting): '\(path)' \($0): replace it"
        }
    }
}

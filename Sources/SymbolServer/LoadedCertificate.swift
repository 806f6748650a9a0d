import ErrorDescriptions
import Foundation
import NIOSSL

/// The certificate files of the configuration, read and found to be usable.
struct LoadedCertificate: Sendable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    /// Those that clients' certificates must come from; empty asks for none.
    let authorities: [NIOSSLCertificate]
    /// What an operator should know although the files can be used.
    let warnings: [String]
    /// What gRPC offers in the handshake, with this certificate.
    let grpcContext: NIOSSLContext

    init(_ files: TLSFiles) throws(ListenError) {
        chain = try Self.certificates("tls.certificate", files.certificate)
        key = try Self.read("tls.key", files.key, "private key") { bytes in
            try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        }
        authorities =
            try files.clientAuthority.map { path throws(ListenError) in
                try Self.certificates("tls.client_ca", path)
            } ?? []
        warnings = Self.warnings(files, chain)
        var configuration = Self.configuration(chain, key, authorities)
        configuration.applicationProtocols = ["grpc-exp", "h2"]
        do { grpcContext = try NIOSSLContext(configuration: configuration) } catch {
            throw ListenError(
                "tls.key: '\(files.key)' is not the key of '\(files.certificate)': "
                    + "give the key that belongs to the certificate")
        }
    }

    /// What HTTP and gRPC have in common.
    var configuration: TLSConfiguration { Self.configuration(chain, key, authorities) }

    private static func configuration(
        _ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey, _ authorities: [NIOSSLCertificate]
    ) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        if !authorities.isEmpty {
            configuration.trustRoots = .certificates(authorities)
            // Clients are no hosts, so there is no name to verify.
            configuration.certificateVerification = .noHostnameVerification
        }
        return configuration
    }

    private static func warnings(_ files: TLSFiles, _ chain: [NIOSSLCertificate]) -> [String] {
        guard let end = chain.first?.notValidAfter, end < time(nil) else { return [] }
        let date = Date(timeIntervalSince1970: Double(end)).formatted(.iso8601)
        return ["tls.certificate: '\(files.certificate)' expired at \(date): replace it"]
    }

    private static func certificates(
        _ setting: String, _ path: String
    ) throws(ListenError) -> [NIOSSLCertificate] {
        try read(setting, path, "certificate") { bytes in
            let certificates = try NIOSSLCertificate.fromPEMBytes(bytes)
            // A file without any is read without an error.
            return certificates.isEmpty ? nil : certificates
        }
    }

    private static func read<Value>(
        _ setting: String, _ path: String, _ content: String,
        _ body: ([UInt8]) throws -> Value?
    ) throws(ListenError) -> Value {
        let bytes: Data
        do { bytes = try Data(contentsOf: URL(filePath: path)) } catch {
            throw ListenError(
                "\(setting): '\(path)' cannot be read (\(ErrorDescription(error))): "
                    + "give a PEM file")
        }
        if let value = try? body(Array(bytes)) { return value }
        throw ListenError("\(setting): '\(path)' holds no \(content): give a PEM file with one")
    }
}

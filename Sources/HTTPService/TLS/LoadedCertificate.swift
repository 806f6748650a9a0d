import ErrorDescriptions
import Foundation
import NIOSSL
import Problems

/// The configured certificate files, loaded and validated.
struct LoadedCertificate: Sendable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    /// The key as in its file. ``key`` exports only RSA and ECDSA keys.
    let keyPEM: [UInt8]
    /// The authorities of client certificates. If empty, clients need no certificate.
    let authorities: [NIOSSLCertificate]
    /// Problems that do not prevent the use of the files.
    let warnings: [String]
    /// The TLS context of the gRPC listener.
    let grpcContext: NIOSSLContext

    init(_ files: TLSFiles) throws(ListenError) {
        chain = try Self.certificates("tls.certificate", path: files.certificate)
        (key, keyPEM) = try Self.read("tls.key", path: files.key, content: "private key") { bytes in
            (try NIOSSLPrivateKey(bytes: bytes, format: .pem), bytes)
        }
        authorities =
            try files.clientAuthority.map { path throws(ListenError) in
                try Self.certificates("tls.client_ca", path: path)
            } ?? []
        warnings =
            Self.warnings("tls.certificate", path: files.certificate, certificates: chain.prefix(1))
            + Self.warnings(
                "tls.client_ca", path: files.clientAuthority ?? "", certificates: authorities)
        var configuration = Self.configuration(chain, key: key, authorities: authorities)
        configuration.applicationProtocols = ["grpc-exp", "h2"]
        do { grpcContext = try NIOSSLContext(configuration: configuration) } catch {
            throw ListenError(
                Problem(
                    "tls.key", detail: "'\(files.key)' is not the key of '\(files.certificate)'",
                    suggestion: "use the key that belongs to the certificate"))
        }
    }

    /// The TLS configuration that HTTP and gRPC have in common.
    var configuration: TLSConfiguration {
        Self.configuration(chain, key: key, authorities: authorities)
    }

    private static func configuration(
        _ chain: [NIOSSLCertificate], key: NIOSSLPrivateKey, authorities: [NIOSSLCertificate]
    ) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
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

    private static func certificates(
        _ setting: String, path: String
    ) throws(ListenError) -> [NIOSSLCertificate] {
        try read(setting, path: path, content: "certificate") { bytes in
            let certificates = try NIOSSLCertificate.fromPEMBytes(bytes)
            // Parsing a file without certificates succeeds.
            return certificates.isEmpty ? nil : certificates
        }
    }

    private static func read<Value>(
        _ setting: String, path: String, content: String,
        _ body: ([UInt8]) throws -> Value?
    ) throws(ListenError) -> Value {
        let bytes: Data
        do { bytes = try Data(contentsOf: URL(filePath: path)) } catch {
            throw ListenError(
                Problem(
                    setting, detail: "'\(path)' cannot be read (\(ErrorDescription(error)))",
                    suggestion: "check the path and its permissions"))
        }
        if let value = try? body(Array(bytes)) { return value }
        throw ListenError(
            Problem(
                setting, detail: "'\(path)' contains no \(content)", suggestion: "use a PEM file"))
    }
}

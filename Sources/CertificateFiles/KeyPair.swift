public import NIOSSL
public import Problems

/// A certificate with its intermediate certificates and its private key, which belong together.
public struct KeyPair: Sendable {
    /// The certificate, and the intermediate certificates after it.
    public let chain: [NIOSSLCertificate]
    public let key: NIOSSLPrivateKey
    /// The key as in its file. ``key`` exports only RSA and ECDSA keys.
    public let keyPEM: [UInt8]

    /// Reads both files. The key may be in the file of the certificate.
    ///
    /// - Throws: A problem if a file is unusable, or the key is not that of the certificate.
    public init(certificate: PEMFile, key file: PEMFile) throws(Problem) {
        chain = try certificate.certificates()
        (key, keyPEM) = try file.privateKey()
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        // The library compares the two when it creates a context.
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw file.problem(
                "is not the key of '\(certificate.path)'",
                suggestion: "use the key that belongs to the certificate")
        }
    }

    /// Sets the certificate that a client presents.
    public func present(in configuration: inout TLSConfiguration) {
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(key)
    }
}

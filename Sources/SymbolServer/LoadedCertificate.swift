import NIOSSL

/// The certificate files of the configuration, read once to find out whether they can be used.
struct LoadedCertificate {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    init(_ files: TLSFiles) throws(ListenError) {
        chain = try Self.read("tls.certificate", files.certificate) { path in
            try NIOSSLCertificate.fromPEMFile(path)
        }
        key = try Self.read("tls.key", files.key) { path in
            try NIOSSLPrivateKey(file: path, format: .pem)
        }
        if let authority = files.clientAuthority {
            _ = try Self.read("tls.client_ca", authority) { path in
                try NIOSSLCertificate.fromPEMFile(path)
            }
        }
    }

    private static func read<Value>(
        _ setting: String, _ path: String, _ body: (String) throws -> Value
    ) throws(ListenError) -> Value {
        do { return try body(path) } catch {
            throw ListenError("\(setting): '\(path)' cannot be read: give a PEM file")
        }
    }
}

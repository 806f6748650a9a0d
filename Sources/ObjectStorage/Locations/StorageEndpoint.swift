import Foundation

/// The address of an S3-compatible server.
struct StorageEndpoint: Hashable, Sendable {
    let scheme: String
    /// The host with the port, if it is not the default of the scheme.
    let authority: String

    /// An address over TLS.
    init(host: String) {
        scheme = "https"
        authority = host
    }

    /// - Parameter url: `https://HOST`, `http://HOST:PORT` or the like, without a path.
    init(url: String) throws(ObjectStorageError) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.percentEncodedHost, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            ["", "/"].contains(parts.path), (1...65_535).contains(parts.port ?? 443)
        else {
            // The text may contain a password.
            throw .invalid(
                "blobs.endpoint", detail: "not the URL of a server",
                suggestion: "use https://HOST:PORT")
        }
        self.scheme = scheme
        let isDefault = parts.port == (scheme == "https" ? 443 : 80)
        authority = parts.port.flatMap { isDefault ? nil : "\(host):\($0)" } ?? host
    }
}

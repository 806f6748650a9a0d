public import CallStacks
import HTTPTypes

/// The settings of both listeners.
public struct ServerSettings: Sendable {
    public struct Address: Sendable {
        public var host: String
        public var port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    public var http: Address
    /// Additional `Host` names accepted from clients without a token.
    public var hosts: [String] = []
    /// The origins of web pages that may use Mozilla's symbolication API without a token, in lower
    /// case.
    public var pageOrigins: Set<String> = []
    public var grpc: Address
    /// The certificate of both listeners, or `nil` for plaintext.
    public var certificate: ServerCertificate?
    public var tokens: Tokens
    /// The maximum size of a request body before and after decompression, in bytes. Symbol uploads
    /// have their own limit.
    public var bodyLimit: Int
    /// The memory limit for all bodies other than uploads, in bytes, beyond which requests get 503,
    /// or `nil` for four times ``bodyLimit``.
    public var bodyMemoryLimit: Int?
    /// The maximum size of a symbol upload, in bytes.
    public var bundleLimit: Int64
    /// The maximum number of concurrent connections of each listener.
    public var connectionLimit: Int
    /// The maximum number of connections per client, or `nil` for half of all.
    public var connectionLimitPerClient: Int?
    /// The maximum number of concurrent symbol uploads, beyond which they get 503.
    public var uploadLimit: Int
    /// The timeout for receiving a request, and for silence on a connection or in a symbol upload,
    /// in seconds.
    public var requestSeconds: Int64
    /// The web pages, or `nil` if they are disabled.
    public var pages: PageSettings? = PageSettings()
    /// The redaction level of stored diagnostics on pages, in downloads and in responses of the
    /// API.
    public var redaction = RedactionLevel.standard
    /// Whether each request is recorded as a span.
    public var isTraced = false

    public init(http: Address, grpc: Address, tokens: Tokens) {
        self.http = http
        self.grpc = grpc
        self.tokens = tokens
        bodyLimit = 64 << 20
        bundleLimit = 16 << 30
        connectionLimit = 4_096
        uploadLimit = 64
        requestSeconds = 60
    }
}

extension ServerSettings {
    /// The number of connections reserved for health checks, in addition to the others.
    private static let reserve = 16

    var connectionLimits: ConnectionTable.Limits {
        ConnectionTable.Limits(
            total: connectionLimit,
            perClient: connectionLimitPerClient ?? (connectionLimit + 1) / 2,
            reserve: Self.reserve)
    }

    /// Returns the URL of the pages for users on this machine, or `nil` if pages are disabled.
    ///
    /// - Parameter port: The port on which the listener listens.
    public func pageAddress(port: Int) -> String? {
        guard let pages else { return nil }
        if let url = pages.url { return url }
        let scheme = certificate == nil ? "http" : "https"
        let isWildcard = HostName(http.host)?.isWildcard ?? false
        let host = isWildcard ? "localhost" : http.host
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }

    /// Whether a request is an upload, which has no timeout as long as data keeps arriving.
    @Sendable func isUpload(_ head: HTTPRequest) -> Bool {
        guard head.method == .post, let path = head.path?.prefix(while: { $0 != "?" })
        else { return false }
        return path == UploadController.path || pages.map { path == $0.prefix + "/drop" } ?? false
    }

    /// The limits of concurrent uploads. Their total size may be twice the maximum size of one
    /// upload.
    var uploadLimits: UploadLimiter.Limits {
        let (bytes, isTooMuch) = bundleLimit.multipliedReportingOverflow(by: 2)
        return UploadLimiter.Limits(count: uploadLimit, bytes: isTooMuch ? .max : bytes)
    }
}

/// The paths of certificate files in PEM format.
public struct TLSFiles: Sendable {
    public var certificate: String
    public var key: String
    /// The authorities of client certificates, or `nil` if clients need none.
    public var clientAuthority: String?

    public init(certificate: String, key: String, clientAuthority: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.clientAuthority = clientAuthority
    }
}

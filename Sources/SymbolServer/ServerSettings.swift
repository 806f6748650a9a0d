/// Where and how the service listens.
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
    /// Further hosts by which clients without a token may address HTTP.
    public var hosts: [String] = []
    public var grpc: Address
    /// For both; `nil` for none.
    public var certificate: ServerCertificate?
    public var tokens: Tokens
    /// The largest body of a request but for symbols, in bytes, before and after inflating.
    public var bodyLimit: Int
    /// How much of all bodies but uploads is in memory at one time, in bytes; beyond it requests get
    /// 503. `nil` for four of the largest.
    public var bodyRoom: Int?
    /// The largest upload of symbols, in bytes.
    public var bundleLimit: Int64
    /// How many connections each listener serves at one time.
    public var connectionLimit: Int
    /// How many of these one client may have; `nil` for half of them.
    public var connectionLimitPerClient: Int?
    /// How many uploads of symbols are received at one time; beyond it they get 503.
    public var uploadLimit: Int
    /// How long a request may take to arrive, and how long a connection or an upload of symbols may
    /// be silent, in seconds.
    public var requestSeconds: Int64

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
    /// Connections that only ask for the health of the service, beyond the others.
    private static let reserve = 16

    var connectionLimits: ConnectionTable.Limits {
        ConnectionTable.Limits(
            total: connectionLimit,
            perClient: connectionLimitPerClient ?? (connectionLimit + 1) / 2,
            reserve: Self.reserve)
    }

    /// Together, uploads may hold as much as two of the largest.
    var uploadLimits: UploadAdmission.Limits {
        let (bytes, isTooMuch) = bundleLimit.multipliedReportingOverflow(by: 2)
        return UploadAdmission.Limits(count: uploadLimit, bytes: isTooMuch ? .max : bytes)
    }
}

/// Certificates by their paths, as PEM.
public struct TLSFiles: Sendable {
    public var certificate: String
    public var key: String
    /// The authority that clients' certificates must come from; `nil` asks for none.
    public var clientAuthority: String?

    public init(certificate: String, key: String, clientAuthority: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.clientAuthority = clientAuthority
    }
}

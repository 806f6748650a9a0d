/// One place that records are sent on to.
public struct Export: Hashable, Sendable {
    public enum Compression: String, Sendable {
        case gzip, none
    }

    public enum Destination: Hashable, Sendable {
        case otlpHTTP(OTLPServer)
        case otlpGRPC(OTLPServer)
        /// The rotation is `nil` for a file that only grows.
        case file(path: String, rotation: Rotation?)
        case standardOutput
    }

    /// Names its place in the journal; without one of its own, its address in one spelling.
    public var name: String
    public var destination: Destination
    public var retry: Retry
    public var batch: Batch

    public struct OTLPServer: Hashable, Sendable {
        /// For OTLP/HTTP the base, which `/v1/logs` and so on are added to; only there it may be
        /// `nil`, where a signal has an address of its own.
        public var url: String?
        public var logsURL: String?
        public var tracesURL: String?
        public var metricsURL: String?
        public var headers: [Header]
        public var compression: Compression
        /// Of one attempt.
        public var timeout: Duration
        public var tls: ClientTLS
    }

    public struct Header: Hashable, Sendable {
        public var name: String
        public var value: Secret
    }

    /// Paths of PEM files, where they are given.
    public struct ClientTLS: Hashable, Sendable {
        public var authorities: String?
        public var certificate: String?
        public var key: String?
        public var acceptsAnyCertificate: Bool
    }

    /// When a file is put aside, and how many such files stay.
    public struct Rotation: Hashable, Sendable {
        public var bytes: Int64
        public var keptCount: Int
    }

    public struct Retry: Hashable, Sendable {
        public var initial: Duration
        public var longest: Duration
        /// Of those that the other side asks for.
        public var longestAsked: Duration
        /// `nil` for ever.
        public var total: Duration?
    }

    public struct Batch: Hashable, Sendable {
        public var bytes: Int64
        public var recordCount: Int
        public var delay: Duration
        public var inFlightCount: Int
    }
}

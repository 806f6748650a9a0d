/// The configuration of an exporter.
public struct ExporterConfiguration: Hashable, Sendable {
    public enum Compression: String, Sendable {
        case gzip, none
    }

    public enum Destination: Hashable, Sendable {
        case otlpHTTP(OTLPServer)
        case otlpGRPC(OTLPServer)
        case kafka(KafkaConfiguration, compression: Compression, timeout: Duration)
        /// A file, with `nil` for a file that is never rotated.
        case file(path: String, rotation: Rotation?)
        case standardOutput
    }

    /// Whether it writes on this machine.
    public var isLocal: Bool {
        switch destination {
        case .file, .standardOutput: true
        case .otlpHTTP, .otlpGRPC, .kafka: false
        }
    }

    /// The name of its cursor in the journal. By default it is the normalised URL or path.
    public var name: String
    public var destination: Destination
    public var retry: Retry
    public var batch: Batch

    public struct OTLPServer: Hashable, Sendable {
        /// The URL, or `nil` if every signal has its own URL. For OTLP/HTTP it is the base to which
        /// `/v1/logs` and so on are appended.
        public var url: String?
        public var logsURL: String?
        public var tracesURL: String?
        public var metricsURL: String?
        public var headers: [Header]
        public var compression: Compression
        /// The timeout for one attempt.
        public var timeout: Duration
        public var tls: ClientTLS
    }

    public struct Header: Hashable, Sendable {
        public var name: String
        public var value: Secret
    }

    /// The paths of PEM files, or `nil` for files that are not configured.
    public struct ClientTLS: Hashable, Sendable {
        public var authorities: String?
        public var certificate: String?
        public var key: String?
        public var acceptsAnyCertificate: Bool
    }

    /// The size at which a file is rotated, and the number of rotated files to keep.
    public struct Rotation: Hashable, Sendable {
        public var bytes: Int64
        public var keptCount: Int
    }

    public struct Retry: Hashable, Sendable {
        public var initial: Duration
        public var longest: Duration
        /// The longest `Retry-After` that is honoured.
        public var longestAsked: Duration
        /// The time after which a batch is dead-lettered, or `nil` for never.
        public var total: Duration?
    }

    public struct Batch: Hashable, Sendable {
        public var bytes: Int64
        public var recordCount: Int
        public var delay: Duration
        public var inFlightCount: Int
    }
}

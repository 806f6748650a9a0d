public import CallStacks
public import Logging
public import Symbolication
public import Telemetry

/// The configuration of the service. ``SettingTable`` describes each setting.
public struct ServerConfiguration: Sendable {
    public struct Listener: Hashable, Sendable {
        public var host: String
        /// The port, or 0 for any free port.
        public var port: Int
    }

    public struct Limits: Hashable, Sendable {
        public var bodyBytes: Int64
        public var bundleBytes: Int64
        public var unpackedBytes: Int64
        public var frameCount: Int
        public var depth: Int
        public var queueBytes: Int64
        /// The limit, or `nil` for a share of the disk.
        public var freeBytes: Int64?
        public var mappedBytes: Int64
        public var uploadWorkerMemoryBytes: Int64
        public var uploadWorkerCPUTime: Duration
        /// The number of workers, or `nil` for one per processor, as far as memory allows.
        public var uploadWorkerCount: Int?
        public var connectionCount: Int
        /// The limit, or `nil` for half of all connections.
        public var connectionCountPerClient: Int?
        public var uploadCount: Int
        public var requestTime: Duration
    }

    /// Retention limits. `nil` means no limit.
    public struct Retention: Hashable, Sendable {
        public var symbolsAge: Duration?
        public var symbolsBytes: Int64?
        public var diagnosticsAge: Duration
        public var diagnosticsBytes: Int64
        public var deadLetterBytes: Int64
    }

    public struct Stacktrace: Hashable, Sendable {
        public enum Format: String, Sendable {
            case text, json
        }

        public var format: Format
        public var keepsOriginal: Bool
        public var showsFullPaths: Bool
    }

    public struct Pages: Hashable, Sendable {
        /// The URL for browsers, or `nil` for the address of each request.
        public var url: String?
        public var signIn: Duration
        /// The file with the key that signs cookies, or `nil` for one in the data folder.
        public var keyFile: String?
        public var droppedBytes: Int64
        public var sourceLinks: String?
        public var traceLinks: String?
    }

    public struct Log: Hashable, Sendable {
        public var level: Logger.Level
        public var format: LogFormat
    }

    public var dataFolder: String
    public var http: Listener
    /// Additional `Host` names accepted from clients without a token.
    public var hosts: [String]
    /// The origins of web pages that may use Mozilla's symbolication API without a token.
    public var pageOrigins: [String]
    /// The gRPC listener, or `nil` if gRPC is disabled.
    public var grpc: Listener?
    public var tls: ServerTLS?
    public var access: AccessControl
    public var exports: [ExporterConfiguration]
    /// The web pages, or `nil` if they are disabled.
    public var pages: Pages?
    /// The redaction of stored diagnostics when they are read.
    public var redaction: RedactionLevel
    /// Whether diagnostics are redacted before they are stored.
    public var redactsStored: Bool
    /// The redaction of diagnostics in exported records.
    public var exportRedaction: RedactionLevel
    public var stacktrace: Stacktrace
    /// The attributes of Honeycomb's processor, or `nil` if they are not used.
    public var honeycomb: HoneycombConfiguration?
    /// Whether records of MetricKit payloads get attributes that OpenTelemetry's instrumentation
    /// does not send.
    public var addsMetricKitAttributes: Bool
    public var hold: Duration
    public var resendWindow: Duration
    /// Whether symbols of Apple's own images cause records to be sent again.
    public var resendsForSystem: Bool
    public var inApp: InAppRules
    public var limits: Limits
    public var retention: Retention
    /// The database and bucket of a cluster, or `nil` if the service runs on one machine.
    public var cluster: ClusterConfiguration?
    /// The topics that the nodes consume, or `nil` if requests are queued in the database.
    public var stream: StreamConfiguration?
    /// The number of diagnostics processed at once, or `nil` for one per processor.
    public var workerCount: Int?
    public var log: Log
    public var tracingURL: String?
    /// The limits that are not set, which are therefore fitted to the disk.
    var unsetDiskLimits: Set<DiskLimit>
    /// Whether the memory limit of upload workers is set. Otherwise it is fitted to the container.
    var hasOwnWorkerMemory: Bool
}

/// The paths of the server's certificate files.
public struct ServerTLS: Hashable, Sendable {
    public var certificate: String
    public var key: String
    /// The CA certificates of clients, or `nil` if clients need no certificate.
    public var clientAuthorities: String?
}

/// Text that is never logged or shown in errors.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let value: String

    public init(_ value: String) { self.value = value }

    public var description: String { "(secret)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

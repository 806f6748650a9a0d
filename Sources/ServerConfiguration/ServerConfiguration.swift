public import Logging
public import Symbolication
public import Telemetry

/// Everything that can be set about the service. What each setting means stands in
/// ``SettingTable``.
public struct ServerConfiguration: Sendable {
    public struct Listener: Hashable, Sendable {
        public var host: String
        /// 0 for any that is free.
        public var port: Int
    }

    public struct Limits: Hashable, Sendable {
        public var bodyBytes: Int64
        public var bundleBytes: Int64
        public var unpackedBytes: Int64
        public var frameCount: Int
        public var depth: Int
        public var queueBytes: Int64
        /// `nil` for a share of the disk.
        public var freeBytes: Int64?
        public var mappedBytes: Int64
        public var childMemoryBytes: Int64
        public var childProcessorTime: Duration
        /// `nil` for one a processor.
        public var childCount: Int?
        public var connectionCount: Int
        /// `nil` for half of them.
        public var connectionCountPerClient: Int?
        public var uploadCount: Int
        public var requestTime: Duration
    }

    /// `nil` stands for no limit.
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

    public struct Log: Hashable, Sendable {
        public var level: Logger.Level
        public var format: LogFormat
    }

    public var dataFolder: String
    public var http: Listener
    /// Further hosts by which clients without a token may address HTTP.
    public var hosts: [String]
    /// `nil` if gRPC is not served.
    public var grpc: Listener?
    public var tls: ServerTLS?
    public var access: Access
    public var exports: [Export]
    public var stacktrace: Stacktrace
    /// Whether records of MetricKit payloads tell more than the instrumentation does.
    public var hasMetricKitAdditions: Bool
    public var hold: Duration
    public var resendWindow: Duration
    public var inApp: InAppRules
    public var limits: Limits
    public var retention: Retention
    /// `nil` for one a processor.
    public var workerCount: Int?
    public var log: Log
    public var tracingURL: String?
    /// Those that were not set, and are fitted to the disk.
    var unsetBounds: Set<DiskBound>
}

/// The certificate that the service shows.
public struct ServerTLS: Hashable, Sendable {
    public var certificate: String
    public var key: String
    /// `nil` if clients need no certificate.
    public var clientAuthorities: String?
}

/// Text that no log and no error shows.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let value: String

    public init(_ value: String) { self.value = value }

    public var description: String { "(secret)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

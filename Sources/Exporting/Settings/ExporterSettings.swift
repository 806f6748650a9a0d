public import Ingest
public import Problems

/// One element of `export`: a destination of records.
///
/// ``exporter(key:)`` validates the settings when it creates the exporter.
public struct ExporterSettings: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case otlpHTTP = "otlp_http"
        case otlpGRPC = "otlp_grpc"
        case kafka
        case file
        case standardOutput = "stdout"
    }

    public enum Compression: String, Sendable, CaseIterable {
        case gzip, none
    }

    /// `type`.
    public var kind: Kind
    /// `name`: identifies its cursor in the journal, and appears in metrics and in the log.
    public var name: String
    /// `url`: for OTLP/HTTP the base, to which `/v1/logs` and so on are appended; for OTLP/gRPC
    /// `http://HOST:PORT` or `https://HOST:PORT`.
    public var url: String?
    /// `logs_url`, `traces_url`, `metrics_url`: complete URLs for OTLP/HTTP, which override
    /// ``url``.
    public var signalURLs: [Signal: String] = [:]
    /// `brokers`, `topics.*`, `client_id`, `security.*`, `sasl.*` and, for Kafka, `tls.*`.
    public var kafka: KafkaTarget?
    /// `path` of the file.
    public var path: String?
    /// `headers` of HTTP requests, or the metadata of gRPC calls.
    public var headers: [String: String] = [:]
    /// `compression`. For 1 MB of stacks, gzip takes about 2 ms of CPU time and reduces the size to
    /// an eighth.
    public var compression = Compression.none
    /// `timeout` of one attempt, including the connection.
    public var timeout = Duration.seconds(10)
    /// `batch.bytes` of protobuf, before compression. The usual limit of gRPC receivers is 4 MiB.
    public var batchBytesLimit = 2 << 20
    /// `batch.*` and `retry.*`.
    public var loop = ExportLoopSettings()
    /// `tls.*`.
    public var tls = TLSSettings()
    /// `rotate.*`.
    public var rotation: FileRotation?

    public init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// The certificates that an exporter trusts and presents.
public struct TLSSettings: Hashable, Sendable {
    /// `tls.ca`: trusted certificates in PEM, instead of the system's.
    public var authoritiesFile: String?
    /// `tls.certificate`: the exporter's certificate and intermediate certificates, in PEM.
    public var certificateFile: String?
    /// `tls.key` of the certificate, in PEM.
    public var keyFile: String?
    /// `tls.insecure`: accept any certificate, which allows interception.
    public var acceptsAnyCertificate = false

    public init() {}
}

/// The rotation of a file.
public struct FileRotation: Hashable, Sendable {
    /// `rotate.bytes`: the size at which the file is rotated.
    public var bytesLimit: Int64
    /// `rotate.keep`: the number of full files that stay, as `NAME.1` (the newest), `NAME.2` and so
    /// on.
    public var keptFileCount: Int

    public init(bytesLimit: Int64, keptFileCount: Int) {
        self.bytesLimit = bytesLimit
        self.keptFileCount = keptFileCount
    }
}

/// An error for an invalid exporter setting.
public struct ExporterSettingsError: DescribedError, Hashable {
    public enum Reason: Hashable, Sendable {
        /// A setting is invalid, or names a file that is.
        case invalidSetting
        /// The output file cannot be written, which may pass, as when a volume is mounted later.
        case unwritableFile
    }

    public var reason = Reason.invalidSetting
    /// Its subject is the key in the configuration: `export[0].tls.ca`.
    public var problem: Problem
}

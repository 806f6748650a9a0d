public import Ingest

/// One element of `export`: where records are sent, and how.
///
/// Checked when the exporter is made of it, by ``exporter(key:)``.
public struct ExporterSettings: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case otlpHTTP = "otlp_http"
        case otlpGRPC = "otlp_grpc"
        case file
        case standardOutput = "stdout"
    }

    public enum Compression: String, Sendable, CaseIterable {
        case gzip, none
    }

    /// `type`.
    public var kind: Kind
    /// `name`: of its place in the journal, in metrics and in the log. Whoever changes it starts
    /// with an exporter that has sent nothing yet and gets what arrives from then on.
    public var name: String
    /// `url`: for OTLP/HTTP the base, behind which `/v1/logs` and so on are put; for OTLP/gRPC
    /// `http://HOST:PORT` or `https://HOST:PORT`.
    public var url: String?
    /// `logs_url`, `traces_url`, `metrics_url`: whole addresses that are used as they are, for
    /// OTLP/HTTP, instead of what ``url`` would give.
    public var signalURLs: [Signal: String] = [:]
    /// `path`: of the file.
    public var path: String?
    /// `headers`: of HTTP requests, or the metadata of gRPC calls.
    public var headers: [String: String] = [:]
    /// `compression`. For 1 MB of stacks gzip takes some 2 ms of processor time and leaves an eighth.
    public var compression = Compression.none
    /// `timeout`: for one attempt, connecting included.
    public var timeout = Duration.seconds(10)
    /// `batch.bytes`, of protobuf before compression. Receivers of gRPC usually end at 4 MiB.
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

/// Whom an exporter trusts, and how it shows who it is.
public struct TLSSettings: Hashable, Sendable {
    /// `tls.ca`: certificates in PEM to trust instead of the system's.
    public var authoritiesFile: String?
    /// `tls.certificate`: the exporter's own certificate, then those between it and its authority, in
    /// PEM.
    public var certificateFile: String?
    /// `tls.key`: of the certificate, in PEM.
    public var keyFile: String?
    /// `tls.insecure`: whether any certificate will do. Then anybody on the way can
    /// read and answer.
    public var acceptsAnyCertificate = false

    public init() {}
}

/// When a file is put aside and a new one begun.
public struct FileRotation: Hashable, Sendable {
    /// `rotate.bytes`: a file that has reached it gets no more lines.
    public var bytesLimit: Int64
    /// `rotate.keep`: how many full files stay, as `NAME.1` (the newest), `NAME.2` and so on.
    public var keptFileCount: Int

    public init(bytesLimit: Int64, keptFileCount: Int = 5) {
        self.bytesLimit = bytesLimit
        self.keptFileCount = keptFileCount
    }
}

/// Why an exporter can't be made of its settings.
public struct ExporterSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key in the configuration: `export[0].tls.ca`.
    public var key: String
    /// What is wrong, and what to do about it.
    public var problem: String

    public var description: String { "\(key): \(problem)" }
}

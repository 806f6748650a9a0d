import ErrorDescriptions
import GRPCCore
import GRPCNIOTransportHTTP2
import Ingest
import OTLP
import Synchronization

/// Sends batches by OTLP/gRPC, and reconnects whenever the connection is lost.
struct OTLPGRPCExporter: Exporter {
    let name: String
    let batchBytesLimit: Int
    private let metadata: Metadata
    private let options: CallOptions
    private let client: GRPCClient<HTTP2ClientTransport.Posix>

    init(_ validator: ExporterSettingsValidator) throws(ExporterSettingsError) {
        let settings = validator.settings
        name = settings.name
        batchBytesLimit = settings.batchBytesLimit
        var metadata = Metadata()
        for (name, value) in settings.headers.sorted(by: { $0.key < $1.key }) {
            metadata.addString(value, forKey: name.lowercased())
        }
        self.metadata = metadata
        options = Self.options(settings)
        client = GRPCClient(transport: try Self.transport(validator))
    }

    private static func options(_ settings: ExporterSettings) -> CallOptions {
        var options = CallOptions.defaults
        options.timeout = settings.timeout
        // An unreachable server is an outcome; the export loop retries.
        options.waitForReady = false
        options.maxRequestMessageBytes = Int(Int32.max)
        options.maxResponseMessageBytes = ExportResponse.bytesLimit
        options.compression = settings.compression == .gzip ? .gzip : CompressionAlgorithm.none
        return options
    }

    private static func transport(
        _ validator: ExporterSettingsValidator
    ) throws(ExporterSettingsError) -> HTTP2ClientTransport.Posix {
        let (isSecure, host, port) = try ExporterURLs(validator: validator).target()
        let security = isSecure ? try validator.transportSecurity() : .plaintext
        let configuration = HTTP2ClientTransport.Posix.Config.defaults { configuration in
            configuration.backoff = .init(
                initial: .milliseconds(250), max: .seconds(10), multiplier: 1.6, jitter: 0.2)
            // Detects dead connections. Servers close connections that send keepalives more often.
            configuration.connection.keepalive = .init(
                time: .seconds(300), timeout: .seconds(20), allowWithoutCalls: false)
        }
        do {
            return try transport(host, port: port, security: security, configuration: configuration)
        } catch {
            throw validator.error(
                "url", detail: "can't be connected to: \(ErrorDescription(error))")
        }
    }

    /// Returns a transport to the target. IP addresses are used directly, not resolved as host
    /// names.
    private static func transport(
        _ host: String, port: Int, security: HTTP2ClientTransport.Posix.TransportSecurity,
        configuration: HTTP2ClientTransport.Posix.Config
    ) throws -> HTTP2ClientTransport.Posix {
        if host.contains(":") {
            try HTTP2ClientTransport.Posix(
                target: .ipv6(address: host, port: port), transportSecurity: security,
                config: configuration)
        } else if host.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }) {
            try HTTP2ClientTransport.Posix(
                target: .ipv4(address: host, port: port), transportSecurity: security,
                config: configuration)
        } else {
            try HTTP2ClientTransport.Posix(
                target: .dns(host: host, port: port), transportSecurity: security,
                config: configuration)
        }
    }

    func send(_ batch: ExportBatch) async -> ExportOutcome {
        let isConnected = Flag()
        // A streamed request of one message is the same on the wire, but its message is asked for
        // only once there is a connection.
        let request = StreamingClientRequest<[UInt8]>(metadata: metadata) { [body = batch.body] in
            isConnected.set()
            try await $0.write(body)
        }
        do {
            let response = try await client.clientStreaming(
                request: request, descriptor: RPCMethod.descriptor(of: batch.signal),
                serializer: RawMessage(), deserializer: RawMessage(), options: options
            ) { try $0.message }
            return ExportResponse.outcome(of: batch.signal, bytes: response, as: .protobuf)
        } catch let error as RPCError {
            return OTLPGRPCFailure(error: error, isConnected: isConnected.isSet).outcome
        } catch {
            return .retry(reason: "\(ErrorDescription(error))", after: nil)
        }
    }

    func run() async {
        // Returns when the task is cancelled; throws only if it is run twice.
        do { try await client.runConnections() } catch {}
    }
}

/// Whether something has happened, for closures that may run on any thread.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}

import ErrorDescriptions
import GRPCCore
import GRPCNIOTransportHTTP2
import Ingest
import OTLP

/// Sends batches by OTLP/gRPC. The connection is made again whenever it was lost.
struct OTLPGRPCExporter: Exporter {
    let name: String
    let batchBytesLimit: Int
    private let metadata: Metadata
    private let options: CallOptions
    private let client: GRPCClient<HTTP2ClientTransport.Posix>

    init(_ checks: SettingsChecks) throws(ExporterSettingsError) {
        let settings = checks.settings
        name = settings.name
        batchBytesLimit = settings.batchBytesLimit
        var metadata = Metadata()
        for (name, value) in settings.headers.sorted(by: { $0.key < $1.key }) {
            metadata.addString(value, forKey: name.lowercased())
        }
        self.metadata = metadata
        options = Self.options(settings)
        client = GRPCClient(transport: try Self.transport(checks))
    }

    private static func options(_ settings: ExporterSettings) -> CallOptions {
        var options = CallOptions.defaults
        options.timeout = settings.timeout
        // A server that is away is an outcome of its own: when to try again is decided above.
        options.waitForReady = false
        options.maxRequestMessageBytes = Int(Int32.max)
        options.maxResponseMessageBytes = ExportAnswer.bytesLimit
        options.compression = settings.compression == .gzip ? .gzip : CompressionAlgorithm.none
        return options
    }

    private static func transport(
        _ checks: SettingsChecks
    ) throws(ExporterSettingsError) -> HTTP2ClientTransport.Posix {
        let (isSecure, host, port) = try ExportURL(checks: checks).target()
        let security = isSecure ? try checks.transportSecurity() : .plaintext
        let configuration = HTTP2ClientTransport.Posix.Config.defaults { configuration in
            configuration.backoff = .init(
                initial: .milliseconds(250), max: .seconds(10), multiplier: 1.6, jitter: 0.2)
            // Finds out that the other side went away without a word. Servers take it badly when
            // they are asked more often.
            configuration.connection.keepalive = .init(
                time: .seconds(300), timeout: .seconds(20), allowWithoutCalls: false)
        }
        do {
            return try transport(host, port, security, configuration)
        } catch { throw checks.error("url", "can't be connected to: \(ErrorDescription(error))") }
    }

    /// An address is taken as it is, because names of hosts can't be looked up in certificates by
    /// one.
    private static func transport(
        _ host: String, _ port: Int, _ security: HTTP2ClientTransport.Posix.TransportSecurity,
        _ configuration: HTTP2ClientTransport.Posix.Config
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
        do {
            let answer = try await client.unary(
                request: ClientRequest(message: batch.body, metadata: metadata),
                descriptor: RPCMethod.descriptor(of: batch.signal), serializer: RawMessage(),
                deserializer: RawMessage(), options: options
            ) { try $0.message }
            return ExportAnswer.outcome(of: batch.signal, answer, as: .protobuf)
        } catch let error as RPCError {
            return RPCAnswer(error: error).outcome
        } catch {
            return .retry(reason: "\(ErrorDescription(error))", after: nil)
        }
    }

    func run() async {
        // Returns when the task is cancelled; throws only when it is run twice.
        do { try await client.runConnections() } catch {}
    }
}

import GRPCCore
import GRPCNIOTransportHTTP2
import Ingest
public import Logging
import NIOSSL
public import ServiceLifecycle

/// The gRPC side, as a service that stops gracefully.
public struct GRPCListener: Service {
    private let server: GRPCServer<HTTP2ServerTransport.Posix>
    private let readiness: Readiness
    private let logger: Logger

    /// How long connections may take to end when the service stops, in seconds.
    static let graceSeconds: Int64 = 15

    /// How many calls a client may have open at one time on one connection.
    static let callsPerConnection = 100

    private let address: ServerSettings.Address
    private let audit: AuditLog
    private let listening: @Sendable (Int) -> Void

    /// It listens when it is run.
    ///
    /// - Parameters:
    ///   - room: Shared by both listeners.
    ///   - listening: Called with the port as soon as connections are taken.
    public init(
        parts: ServerParts, settings: ServerSettings, room: BodyRoom, logger: Logger,
        listening: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        self.logger = logger
        self.listening = listening
        address = settings.grpc
        audit = AuditLog(logger: logger)
        readiness = parts.readiness
        let transport = HTTP2ServerTransport.Posix(
            address: Self.address(settings.grpc),
            transportSecurity: try settings.certificate.map(Self.security) ?? .plaintext,
            config: Self.configuration(settings, GRPCConnections(settings, audit, room)))
        server = GRPCServer(
            transport: transport,
            services: [
                GRPCReception(
                    reception: parts.ingest.reception, tokens: settings.tokens,
                    bytesLimit: settings.bodyLimit, room: room),
                GRPCHealth(readiness: parts.readiness),
            ])
    }

    private static func configuration(
        _ settings: ServerSettings, _ connections: GRPCConnections
    ) -> HTTP2ServerTransport.Posix.Config {
        let idle = settings.requestSeconds + RequestArrival.lingeringSeconds
        return .defaults { config in
            // With the mark of its coding.
            config.rpc.maxRequestPayloadSize = settings.bodyLimit + 1
            config.http2.targetWindowSize = 1 << 20
            config.http2.maxConcurrentStreams = callsPerConnection
            config.connection.maxIdleTime = .seconds(idle)
            config.connection.keepalive.time = .seconds(max(settings.requestSeconds / 2, 1))
            config.connection.maxGraceTime = .seconds(graceSeconds)
            config.channelDebuggingCallbacks.onBindTCPListener = connections.bound
            config.channelDebuggingCallbacks.onAcceptTCPConnection = connections.accepted
            config.channelDebuggingCallbacks.onAcceptHTTP2Stream = connections.opened
        }
    }

    private static func address(
        _ address: ServerSettings.Address
    ) -> GRPCNIOTransportCore.SocketAddress {
        address.host.contains(":")
            ? .ipv6(host: address.host, port: address.port)
            : .ipv4(host: address.host, port: address.port)
    }

    /// The certificate of the start; ``GRPCConnections`` shows the one of now.
    private static func security(
        _ certificate: ServerCertificate
    ) throws -> HTTP2ServerTransport.Posix.TransportSecurity {
        let loaded = certificate.current.loaded
        return .tls(
            certificateChain: try loaded.chain.map {
                .bytes(try $0.toDERBytes(), format: .der)
            }, privateKey: .bytes(try loaded.key.derBytes, format: .der))
    }

    /// The server is never cancelled, because that would trap in the library when a connection comes
    /// in at that moment. Whatever ends the service makes it stop gracefully, which
    /// ``graceSeconds`` bounds.
    public func run() async throws {
        try await audit.whileWriting { try await serve() }
    }

    private func serve() async throws {
        let serving = Task { try await server.serve() }
        do {
            try await withTaskCancellationHandler {
                try await withGracefulShutdownHandler {
                    try await announce()
                    try await serving.value
                } onGracefulShutdown: {
                    stop()
                }
            } onCancel: {
                stop()
            }
        } catch { throw ListenError("grpc", address, error) }
    }

    private func stop() {
        readiness.beginStopping()
        server.beginGracefulShutdown()
    }

    /// Where nothing can be listened on, what serves has the reason.
    private func announce() async throws {
        guard let address = try? await server.listeningAddress else { return }
        logger.info("grpc: listening", metadata: ["address": "\(address)"])
        listening(address.ipv4?.port ?? address.ipv6?.port ?? self.address.port)
    }
}

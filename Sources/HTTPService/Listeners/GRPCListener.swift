import CertificateFiles
import GRPCCore
import GRPCNIOTransportHTTP2
import Ingest
public import Logging
import NIOCore
import NIOSSL
public import ServiceLifecycle

/// The gRPC listener, which stops gracefully.
public struct GRPCListener: Service {
    private let server: GRPCServer<HTTP2ServerTransport.Posix>
    private let readiness: Readiness
    private let logger: Logger

    /// The grace period for connections at shutdown, in seconds.
    static let graceSeconds: Int64 = 15

    /// The maximum number of concurrent calls on one connection.
    static let callsPerConnection = 100

    private let address: ServerSettings.Address
    private let audit: AuditLog
    private let listening: @Sendable (Int) -> Void

    /// Creates the listener. It starts listening in ``run()``.
    ///
    /// - Parameters:
    ///   - memory: The memory budget that both listeners share.
    ///   - listening: Called with the port once connections are accepted.
    public init(
        dependencies: ServerDependencies, settings: ServerSettings, memory: RequestMemoryBudget,
        logger: Logger, listening: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        self.logger = logger
        self.listening = listening
        address = settings.grpc
        audit = AuditLog(logger: logger)
        readiness = dependencies.readiness
        let transport = HTTP2ServerTransport.Posix(
            address: try Self.address(settings.grpc),
            transportSecurity: try settings.certificate.map(Self.security) ?? .plaintext,
            config: Self.configuration(
                settings, connections: GRPCConnectionSetup(settings, audit: audit, memory: memory)))
        server = GRPCServer(
            transport: transport,
            services: [
                GRPCOTLPReceiver(
                    gateway: dependencies.ingest.gateway, tokens: settings.tokens,
                    messageLimit: settings.bodyLimit, memory: memory, logger: logger),
                GRPCHealth(readiness: dependencies.readiness),
            ])
    }

    private static func configuration(
        _ settings: ServerSettings, connections: GRPCConnectionSetup
    ) -> HTTP2ServerTransport.Posix.Config {
        let idle = settings.requestSeconds + RequestTimeoutHandler.lingeringSeconds
        return .defaults { config in
            // Includes the prefix byte for the coding.
            config.rpc.maxRequestPayloadSize = min(settings.bodyLimit, messageLimit - 1) + 1
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

    /// The largest length that the prefix of a message has room for, in bytes.
    private static let messageLimit = Int(UInt32.max)

    /// Returns the address to listen on. The library takes no names of hosts.
    private static func address(
        _ address: ServerSettings.Address
    ) throws -> GRPCNIOTransportCore.SocketAddress {
        let resolved = try NIOCore.SocketAddress.makeAddressResolvingHost(
            address.host, port: address.port)
        let host = resolved.ipAddress ?? address.host
        return host.contains(":")
            ? .ipv6(host: host, port: address.port) : .ipv4(host: host, port: address.port)
    }

    /// Returns the certificate at startup. ``GRPCConnectionSetup`` installs the current one on each
    /// connection.
    private static func security(
        _ certificate: ServerCertificate
    ) throws -> HTTP2ServerTransport.Posix.TransportSecurity {
        let loaded = certificate.current.loaded
        return .tls(
            certificateChain: try loaded.pair.chain.map {
                .bytes(try $0.toDERBytes(), format: .der)
            }, privateKey: .bytes(loaded.pair.keyPEM, format: .pem))
    }

    /// Serves until the service stops.
    ///
    /// The server is never cancelled, because the library traps if a connection arrives at that
    /// moment. Instead it always shuts down gracefully, within ``graceSeconds``.
    public func run() async throws {
        try await audit.withSummaries { try await serve() }
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
        } catch { throw ListenError(listener: "grpc", address, error) }
    }

    private func stop() {
        readiness.beginStopping()
        server.beginGracefulShutdown()
    }

    /// Logs the listen address. If listening fails, `server.serve()` throws the reason.
    private func announce() async throws {
        guard let address = try? await server.listeningAddress else { return }
        logger.info("grpc: listening", metadata: ["address": "\(address)"])
        listening(address.ipv4?.port ?? address.ipv6?.port ?? self.address.port)
    }
}

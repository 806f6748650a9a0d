import GRPCCore
import GRPCNIOTransportHTTP2
import HummingbirdCore
import Ingest
public import Logging
import NIOCore
public import ServiceLifecycle

/// The gRPC side, as a service that stops gracefully.
public struct GRPCListener: Service {
    private let server: GRPCServer<HTTP2ServerTransport.Posix>
    private let logger: Logger

    /// How long connections may take to end when the service stops, in seconds.
    static let graceSeconds: Int64 = 15

    private let address: ServerSettings.Address
    private let listening: @Sendable (Int) -> Void

    /// It listens when it is run.
    ///
    /// - Parameter listening: Called with the port as soon as connections are taken.
    public init(
        parts: ServerParts, settings: ServerSettings, logger: Logger,
        listening: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        self.logger = logger
        self.listening = listening
        address = settings.grpc
        if let tls = settings.tls { _ = try LoadedCertificate(tls) }
        let transport = HTTP2ServerTransport.Posix(
            address: Self.address(settings.grpc),
            transportSecurity: try settings.tls.map(Self.security) ?? .plaintext,
            config: Self.configuration(settings))
        server = GRPCServer(
            transport: transport,
            services: [
                GRPCReception(reception: parts.ingest.reception, tokens: settings.tokens)
            ],
            interceptors: [GRPCAuthorization(tokens: settings.tokens)])
    }

    private static func configuration(
        _ settings: ServerSettings
    ) -> HTTP2ServerTransport.Posix.Config {
        .defaults { config in
            config.rpc.maxRequestPayloadSize = settings.bodyLimit
            config.compression.enabledAlgorithms = [.gzip, .deflate]
            config.http2.maxFrameSize = 1 << 20
            config.http2.targetWindowSize = 1 << 22
            config.connection.maxGraceTime = .seconds(graceSeconds)
            config.channelDebuggingCallbacks.onBindTCPListener = { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AvailableConnectionsChannelHandler(
                            maxConnections: settings.connectionLimit), position: .first)
                }
            }
            config.channelDebuggingCallbacks.onAcceptHTTP2Stream = { stream in
                stream.eventLoop.makeCompletedFuture {
                    try GRPCRefusal.add(to: stream, bytesLimit: settings.bodyLimit)
                }
            }
            guard settings.tls != nil else { return }
            config.channelDebuggingCallbacks.onAcceptTCPConnection = { channel in
                channel.eventLoop.makeCompletedFuture {
                    try HandshakeDeadline.add(to: channel, seconds: settings.requestSeconds)
                }
            }
        }
    }

    private static func address(
        _ address: ServerSettings.Address
    ) -> GRPCNIOTransportCore.SocketAddress {
        address.host.contains(":")
            ? .ipv6(host: address.host, port: address.port)
            : .ipv4(host: address.host, port: address.port)
    }

    private static func security(
        _ tls: TLSFiles
    ) throws -> HTTP2ServerTransport.Posix.TransportSecurity {
        .tls(
            certificateChain: [.file(path: tls.certificate, format: .pem)],
            privateKey: .file(path: tls.key, format: .pem)
        ) { config in
            guard let authority = tls.clientAuthority else { return }
            config.trustRoots = .certificates([.file(path: authority, format: .pem)])
            // Clients are no hosts, so there is no name to verify.
            config.clientCertificateVerification = .noHostnameVerification
        }
    }

    /// The server is never cancelled, because that would trap in the library when a connection comes
    /// in at that moment. Whatever ends the service makes it stop gracefully, which
    /// ``graceSeconds`` bounds.
    public func run() async throws {
        let serving = Task { try await server.serve() }
        do {
            try await withTaskCancellationHandler {
                try await withGracefulShutdownHandler {
                    try await announce()
                    try await serving.value
                } onGracefulShutdown: {
                    server.beginGracefulShutdown()
                }
            } onCancel: {
                server.beginGracefulShutdown()
            }
        } catch { throw ListenError("grpc", address, error) }
    }

    /// Where nothing can be listened on, what serves has the reason.
    private func announce() async throws {
        guard let address = try? await server.listeningAddress else { return }
        logger.info("grpc: listening", metadata: ["address": "\(address)"])
        listening(address.ipv4?.port ?? address.ipv6?.port ?? self.address.port)
    }
}

import GRPCCore
import GRPCNIOTransportHTTP2
import Ingest
public import Logging
import NIOCore
public import ServiceLifecycle

/// The gRPC side, as a service that stops gracefully.
public struct GRPCListener: Service {
    private let server: GRPCServer<HTTP2ServerTransport.Posix>
    private let logger: Logger

    public init(parts: ServerParts, settings: ServerSettings, logger: Logger) throws {
        self.logger = logger
        let transport = HTTP2ServerTransport.Posix(
            address: Self.address(settings.grpc),
            transportSecurity: try settings.tls.map(Self.security) ?? .plaintext,
            config: .defaults { config in
                config.rpc.maxRequestPayloadSize = settings.bodyLimit
                config.compression.enabledAlgorithms = [.gzip, .deflate]
                config.http2.maxFrameSize = 1 << 20
                config.http2.targetWindowSize = 1 << 22
            })
        server = GRPCServer(
            transport: transport, services: [GRPCReception(reception: parts.ingest.reception)],
            interceptors: [GRPCAuthorization(tokens: settings.tokens)])
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
            config.clientCertificateVerification = .fullVerification
        }
    }

    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.serve() }
                group.addTask {
                    if let address = try await server.listeningAddress {
                        logger.info("grpc: listening", metadata: ["address": "\(address)"])
                    }
                }
                try await group.waitForAll()
            }
        } onGracefulShutdown: {
            server.beginGracefulShutdown()
        }
    }
}

import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import Ingest
public import Logging
import NIOCore
import NIOSSL
public import ServiceLifecycle

/// The HTTP listener: its routes, their access rules, and its error responses.
public struct HTTPListener: Service {
    private let application: Application<RouterResponder<HTTPRequestContext>>
    private let audit: AuditLog
    private let readiness: Readiness
    private let drops: DropStore
    private let address: ServerSettings.Address

    /// Creates the listener. It starts listening in ``run()``.
    ///
    /// - Parameters:
    ///   - memory: The memory budget that both listeners share.
    ///   - listening: Called with the port once connections are accepted.
    public init(
        dependencies: ServerDependencies, settings: ServerSettings, memory: RequestMemoryBudget,
        logger: Logger, listening: @escaping @Sendable (Int) -> Void
    ) throws {
        audit = AuditLog(logger: logger)
        readiness = dependencies.readiness
        let connections = ConnectionRegistry(
            settings.connectionLimits, requestSeconds: settings.requestSeconds)
        let routes = HTTPRoutes(dependencies: dependencies, settings: settings, memory: memory)
        drops = routes.drops
        application = Application(
            responder: routes.responder(ListenerContext(audit: audit, connections: connections)),
            server: try Self.server(settings, connections: connections, audit: audit),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.http.host, port: settings.http.port),
                serverName: "symbolist",
                // Connections that are being closed still count for this limit.
                availableConnectionsDelegate: MaximumAvailableConnections(
                    settings.connectionLimits.sum + ConnectionRegistry.closingCount)),
            onServerRunning: { listening($0.localAddress?.port ?? settings.http.port) },
            logger: logger)
        address = settings.http
    }

    public func run() async throws {
        try await audit.withSummaries {
            try await drops.expiring(whileRunning: runApplication)
        }
    }

    private func runApplication() async throws {
        try await withGracefulShutdownHandler {
            do { try await application.run() } catch {
                throw ListenError(listener: "http", address, error)
            }
        } onGracefulShutdown: {
            readiness.beginStopping()
        }
    }

    private static func server(
        _ settings: ServerSettings, connections: ConnectionRegistry, audit: AuditLog
    ) throws -> HTTPServerBuilder {
        // Longer than the request timeout, so that a stalled request gets an error response.
        let idle = settings.requestSeconds + RequestTimeoutHandler.lingeringSeconds
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                RequestHeadHandler.Placement(), NoSniffHandler(),
                ConnectionActivityHandler(connections),
                RequestTimeoutHandler(
                    seconds: settings.requestSeconds,
                    isExempt: { settings.isUpload($0) || SentryController.isUpload($0) }),
                ContinueResponseHandler(), SyntaxErrorHandler(),
            ], idleTimeout: .seconds(idle))
        let http2 = HTTP2ChannelConfiguration(
            idleTimeout: .seconds(idle),
            gracefulCloseTimeout: .seconds(GRPCListener.graceSeconds),
            streamConfiguration: channel)
        guard let certificate = settings.certificate else {
            return HTTPServerBuilder { responder in
                let plaintext = PlaintextChannel(
                    http1: HTTP1Channel(responder: responder, configuration: channel),
                    http2: HTTP2Channel(responder: responder, configuration: http2),
                    prefaceSeconds: idle)
                return BoundedChannel(inner: HandledChannel(plaintext), connections: connections)
            }
        }
        return HTTPServerBuilder { responder in
            let encrypted = try TLSChannel(
                certificate: certificate, handshakeSeconds: settings.requestSeconds, audit: audit
            ) { loaded in
                try HTTP2UpgradeChannel(
                    tlsConfiguration: loaded.configuration, configuration: http2,
                    responder: responder)
            }
            return BoundedChannel(inner: HandledChannel(encrypted), connections: connections)
        }
    }
}

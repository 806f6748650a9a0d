import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import Ingest
public import Logging
import NIOCore
import NIOSSL
public import ServiceLifecycle

/// The HTTP side: routes, who may use them, and what their errors look like.
public struct HTTPListener: Service {
    private let application: Application<RouterResponder<CallerContext>>
    private let audit: AuditLog
    private let readiness: Readiness

    /// It listens when it is run.
    ///
    /// - Parameters:
    ///   - room: Shared by both listeners.
    ///   - listening: Called with the port as soon as connections are taken.
    public init(
        parts: ServerParts, settings: ServerSettings, room: BodyRoom, logger: Logger,
        listening: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        audit = AuditLog(logger: logger)
        readiness = parts.readiness
        let connections = Connections(
            settings.connectionLimits, requestSeconds: settings.requestSeconds)
        application = Application(
            responder: Self.responder(
                parts: parts, settings: settings, room: room, RequestWatch(audit, connections)),
            server: try Self.server(settings, connections, audit),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.http.host, port: settings.http.port),
                serverName: "symbolist",
                // What is being closed still counts here.
                availableConnectionsDelegate: MaximumAvailableConnections(
                    settings.connectionLimits.sum + Connections.closingCount)),
            onServerRunning: { listening($0.localAddress?.port ?? settings.http.port) },
            logger: logger)
        address = settings.http
    }

    private let address: ServerSettings.Address

    public func run() async throws {
        try await audit.whileWriting {
            try await withGracefulShutdownHandler {
                do { try await application.run() } catch {
                    throw ListenError("http", address, error)
                }
            } onGracefulShutdown: {
                readiness.beginStopping()
            }
        }
    }

    private static func server(
        _ settings: ServerSettings, _ connections: Connections, _ audit: AuditLog
    ) throws -> HTTPServerBuilder {
        // Longer, so that a request that stalls is told so.
        let idle = settings.requestSeconds + RequestArrival.lingeringSeconds
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                HostFields.Placement(), SniffingPrevention(), ConnectionUse(connections),
                RequestArrival(
                    seconds: settings.requestSeconds, isExempt: UploadController.isUpload),
                ContinueAnswer(),
            ], idleTimeout: .seconds(idle))
        let http2 = HTTP2ChannelConfiguration(
            idleTimeout: .seconds(idle),
            gracefulCloseTimeout: .seconds(GRPCListener.graceSeconds),
            streamConfiguration: channel)
        guard let certificate = settings.certificate else {
            return HTTPServerBuilder { responder in
                BoundedChannel(
                    inner: PlaintextChannel(
                        http1: HTTP1Channel(responder: responder, configuration: channel),
                        http2: HTTP2Channel(responder: responder, configuration: http2),
                        prefaceSeconds: idle), connections: connections)
            }
        }
        return HTTPServerBuilder { responder in
            BoundedChannel(
                inner: try TLSChannel(
                    certificate: certificate, handshakeSeconds: settings.requestSeconds, audit
                ) { loaded in
                    try HTTP2UpgradeChannel(
                        tlsConfiguration: loaded.configuration, configuration: http2,
                        responder: responder)
                }, connections: connections)
        }
    }

    private static func responder(
        parts: ServerParts, settings: ServerSettings, room: BodyRoom, _ watch: RequestWatch
    ) -> RouterResponder<CallerContext> {
        let methods = AllowedMethods()
        let router = router(parts: parts, settings: settings, room: room, methods, watch)
        // To build it adds HEAD wherever GET is.
        let responder = router.buildResponder()
        methods.read(router.routes)
        return responder
    }

    /// Every route with what is done before it.
    ///
    /// - Parameter watch: `nil` where no connections are served.
    static func router(
        parts: ServerParts, settings: ServerSettings, room: BodyRoom, _ methods: AllowedMethods,
        _ watch: RequestWatch? = nil
    ) -> Router<CallerContext> {
        let router = Router(
            context: CallerContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: TracingMiddleware())
        router.add(middleware: RequestCounting())
        if let watch { router.add(middleware: Auditing(audit: watch.audit)) }
        router.add(middleware: ErrorRendering(methods: methods))
        if let watch { router.add(middleware: ReservedConnections(connections: watch.connections)) }
        router.add(
            middleware: AnonymousAccess(
                tokens: settings.tokens,
                hosts: AllowedHosts(listening: settings.http.host, others: settings.hosts)))
        router.add(middleware: ContinueOffer())
        HealthController(parts).addOpenRoutes(to: router)
        addIngestRoutes(to: group(router, settings, .ingest), parts, settings, room)
        addUploadRoutes(to: group(router, settings, .upload), parts, settings)
        addReadingRoutes(to: group(router, settings, .read), parts)
        let letters = DeadLetterController(resending: parts.deadLetters)
        letters.addReadingRoutes(to: group(router, settings, .listDeadLetters))
        letters.addSendingRoutes(to: group(router, settings, .resendDeadLetters))
        SymbolicateController(
            symbolication: parts.symbolication, bodyLimit: settings.bodyLimit, room: room
        ).addRoutes(to: group(router, settings, .symbolicate))
        return router
    }

    private static func group(
        _ router: Router<CallerContext>, _ settings: ServerSettings,
        _ requirement: TokenRequirement
    ) -> RouterGroup<CallerContext> {
        router.group().add(
            middleware: Authorization(tokens: settings.tokens, requirement: requirement))
    }

    private static func addIngestRoutes(
        to routes: RouterGroup<CallerContext>, _ parts: ServerParts, _ settings: ServerSettings,
        _ room: BodyRoom
    ) {
        let reception = parts.ingest.reception
        OTLPController(reception: reception, bodyLimit: settings.bodyLimit, room: room)
            .addRoutes(to: routes)
        MetricKitController(reception: reception, bodyLimit: settings.bodyLimit, room: room)
            .addRoutes(to: routes)
    }

    private static func addUploadRoutes(
        to routes: RouterGroup<CallerContext>, _ parts: ServerParts, _ settings: ServerSettings
    ) {
        UploadController(
            intake: parts.intake, folders: parts.folders, bundleLimit: settings.bundleLimit,
            admission: UploadAdmission(settings.uploadLimits)
        ).addRoutes(to: routes)
        MissingController(
            archive: parts.archive, catalogue: parts.catalogue, intake: parts.intake
        ).addUploadRoutes(to: routes)
        CatalogueController(catalogue: parts.catalogue, removal: parts.removal)
            .addRemovingRoutes(to: routes)
    }

    private static func addReadingRoutes(
        to routes: RouterGroup<CallerContext>, _ parts: ServerParts
    ) {
        CatalogueController(catalogue: parts.catalogue, removal: parts.removal)
            .addReadingRoutes(to: routes)
        MissingController(
            archive: parts.archive, catalogue: parts.catalogue, intake: parts.intake
        )
        .addReadingRoutes(to: routes)
        DiagnosticsController(
            archive: parts.archive,
            lookup: DiagnosticLookup(journal: parts.journal, symbolication: parts.symbolication)
        ).addRoutes(to: routes)
        HealthController(parts).addReadingRoutes(to: routes)
        VersionFiguresController(archive: parts.figures).addRoutes(to: routes)
        LookupController(symbols: parts.symbols, catalogue: parts.catalogue).addRoutes(to: routes)
    }
}

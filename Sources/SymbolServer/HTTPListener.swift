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

    /// It listens when it is run.
    ///
    /// - Parameter listening: Called with the port as soon as connections are taken.
    public init(
        parts: ServerParts, settings: ServerSettings, logger: Logger,
        listening: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        application = Application(
            responder: Self.responder(parts: parts, settings: settings),
            server: try Self.server(settings),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.http.host, port: settings.http.port),
                serverName: "symbolist",
                availableConnectionsDelegate: MaximumAvailableConnections(
                    settings.connectionLimit)),
            onServerRunning: { listening($0.localAddress?.port ?? settings.http.port) },
            logger: logger)
        address = settings.http
    }

    private let address: ServerSettings.Address

    public func run() async throws {
        do { try await application.run() } catch { throw ListenError("http", address, error) }
    }

    private static func server(_ settings: ServerSettings) throws -> HTTPServerBuilder {
        // Longer, so that a request that stalls is told so.
        let idle = settings.requestSeconds + RequestArrival.lingeringSeconds
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                RequestArrival(
                    seconds: settings.requestSeconds, isExempt: UploadController.isUpload)
            ], idleTimeout: .seconds(idle))
        guard let tls = settings.tls else { return .http1(configuration: channel) }
        let tlsConfiguration = try configuration(of: tls)
        return HTTPServerBuilder { responder in
            TLSChannel(
                inner: try HTTP2UpgradeChannel(
                    tlsConfiguration: tlsConfiguration,
                    configuration: HTTP2ChannelConfiguration(
                        idleTimeout: .seconds(idle),
                        gracefulCloseTimeout: .seconds(GRPCListener.graceSeconds),
                        streamConfiguration: channel),
                    responder: responder), handshakeSeconds: settings.requestSeconds)
        }
    }

    private static func configuration(of tls: TLSFiles) throws -> TLSConfiguration {
        let files = try LoadedCertificate(tls)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: files.chain.map { .certificate($0) },
            privateKey: .privateKey(files.key))
        if let authority = tls.clientAuthority {
            configuration.trustRoots = .file(authority)
            configuration.certificateVerification = .noHostnameVerification
        }
        return configuration
    }

    private static func responder(
        parts: ServerParts, settings: ServerSettings
    ) -> RouterResponder<CallerContext> {
        let methods = AllowedMethods()
        let router = router(parts: parts, settings: settings, methods)
        // To build it adds HEAD wherever GET is.
        let responder = router.buildResponder()
        methods.read(router.routes)
        return responder
    }

    static func router(
        parts: ServerParts, settings: ServerSettings, _ methods: AllowedMethods
    ) -> Router<CallerContext> {
        let router = Router(
            context: CallerContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: TracingMiddleware())
        router.add(middleware: RequestCounting())
        router.add(middleware: ErrorRendering(methods: methods))
        HealthController(parts).addOpenRoutes(to: router)
        let room = BodyRoom(limit: settings.bodyRoom ?? 4 * settings.bodyLimit)
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
            intake: parts.intake, folders: parts.folders, bundleLimit: settings.bundleLimit
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

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
public enum HTTPListener {
    /// The server as a service; it listens when it is run.
    public static func service(
        parts: ServerParts, settings: ServerSettings, logger: Logger
    ) throws -> any Service {
        Application(
            router: router(parts: parts, settings: settings),
            server: try server(settings),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.http.host, port: settings.http.port),
                serverName: "symbolist",
                availableConnectionsDelegate: MaximumAvailableConnections(
                    settings.connectionLimit)),
            logger: logger)
    }

    private static func server(_ settings: ServerSettings) throws -> HTTPServerBuilder {
        let idle = TimeAmount.seconds(settings.idleSeconds)
        guard let tls = settings.tls else {
            return .http1(configuration: HTTP1Channel.Configuration(idleTimeout: idle))
        }
        return try .http2Upgrade(
            tlsConfiguration: configuration(of: tls),
            configuration: HTTP2ChannelConfiguration(
                idleTimeout: .seconds(settings.idleSeconds)))
    }

    private static func configuration(of tls: TLSFiles) throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMFile(tls.certificate)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: tls.key, format: .pem)))
        if let authority = tls.clientAuthority {
            configuration.trustRoots = .file(authority)
            configuration.certificateVerification = .noHostnameVerification
        }
        return configuration
    }

    static func router(parts: ServerParts, settings: ServerSettings) -> Router<ServiceContext> {
        let router = Router(context: ServiceContext.self)
        router.add(middleware: TracingMiddleware())
        router.add(middleware: RequestCounting())
        router.add(middleware: ErrorRendering())
        HealthController(journal: parts.journal, metricsText: parts.metricsText)
            .addOpenRoutes(to: router)
        addIngestRoutes(to: group(router, settings, [.ingest]), parts, settings)
        addUploadRoutes(to: group(router, settings, [.upload]), parts, settings)
        addReadingRoutes(to: group(router, settings, [.read]), parts)
        SymbolicateController(symbolication: parts.symbolication, bodyLimit: settings.bodyLimit)
            .addRoutes(to: group(router, settings, [.ingest, .read]))
        return router
    }

    private static func group(
        _ router: Router<ServiceContext>, _ settings: ServerSettings, _ scopes: Set<TokenScope>
    ) -> RouterGroup<ServiceContext> {
        router.group().add(middleware: Authorization(tokens: settings.tokens, scopes: scopes))
    }

    private static func addIngestRoutes(
        to routes: RouterGroup<ServiceContext>, _ parts: ServerParts, _ settings: ServerSettings
    ) {
        let reception = parts.ingest.reception
        OTLPController(reception: reception, bodyLimit: settings.bodyLimit).addRoutes(to: routes)
        MetricKitController(reception: reception, bodyLimit: settings.bodyLimit)
            .addRoutes(to: routes)
        DeadLetterController(resending: parts.deadLetters).addSendingRoutes(to: routes)
    }

    private static func addUploadRoutes(
        to routes: RouterGroup<ServiceContext>, _ parts: ServerParts, _ settings: ServerSettings
    ) {
        UploadController(
            intake: parts.intake, folders: parts.folders, bundleLimit: settings.bundleLimit
        ).addRoutes(to: routes)
        MissingController(archive: parts.archive, catalogue: parts.catalogue)
            .addUploadRoutes(to: routes)
        CatalogueController(catalogue: parts.catalogue, removal: parts.removal)
            .addRemovingRoutes(to: routes)
    }

    private static func addReadingRoutes(
        to routes: RouterGroup<ServiceContext>, _ parts: ServerParts
    ) {
        CatalogueController(catalogue: parts.catalogue, removal: parts.removal)
            .addReadingRoutes(to: routes)
        MissingController(archive: parts.archive, catalogue: parts.catalogue)
            .addReadingRoutes(to: routes)
        DiagnosticsController(
            archive: parts.archive,
            lookup: DiagnosticLookup(journal: parts.journal, symbolication: parts.symbolication)
        ).addRoutes(to: routes)
        DeadLetterController(resending: parts.deadLetters).addReadingRoutes(to: routes)
        HealthController(journal: parts.journal, metricsText: parts.metricsText)
            .addReadingRoutes(to: routes)
    }
}

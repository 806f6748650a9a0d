import Hummingbird
import Ingest
import SymbolIntake

/// All HTTP routes, with their middlewares.
struct HTTPRoutes {
    let dependencies: ServerDependencies
    let settings: ServerSettings
    let memory: RequestMemoryBudget
    let site: PageSite?
    let drops: DropStore
    private let uploads: UploadLimiter
    private let downloadLimiter = DownloadLimiter()
    private let pendingReplies = PendingReplies()

    init(
        dependencies: ServerDependencies, settings: ServerSettings, memory: RequestMemoryBudget
    ) {
        self.dependencies = dependencies
        self.settings = settings
        self.memory = memory
        uploads = UploadLimiter(settings.uploadLimits)
        drops = DropStore(limit: settings.pages?.droppedBytes ?? 0)
        site = settings.pages.map {
            PageSite(
                $0, tokens: settings.tokens, hosts: settings.allowedHosts,
                redaction: settings.redaction, hasCertificate: settings.certificate != nil)
        }
    }

    func responder(_ context: ListenerContext) -> RouterResponder<HTTPRequestContext> {
        let methods = AllowedMethods()
        let router = router(methods, context)
        // Building the responder adds HEAD to every GET route, so it must happen before the routes
        // are read.
        let responder = router.buildResponder()
        methods.update(from: router.routes)
        return responder
    }

    /// - Parameter context: The listener, or `nil` for a router without connections.
    func router(
        _ methods: AllowedMethods, _ context: ListenerContext? = nil
    ) -> Router<HTTPRequestContext> {
        let router = Router(
            context: HTTPRequestContext.self, options: .autoGenerateHeadEndpoints)
        addMiddlewares(to: router, methods, context)
        addOpenRoutes(to: router)
        addIngestRoutes(to: group(router, requirement: .ingest))
        addUploadRoutes(to: group(router, requirement: .upload))
        addReadRoutes(to: group(router, requirement: .read))
        addOperationRoutes(to: router)
        addSymbolicateRoutes(to: group(router, requirement: .symbolicate))
        if let site { addPages(of: site, to: router) }
        return router
    }

    /// Adds the middlewares, the outermost first.
    private func addMiddlewares(
        to router: Router<HTTPRequestContext>, _ methods: AllowedMethods,
        _ context: ListenerContext?
    ) {
        if settings.isTraced { router.add(middleware: TracingMiddleware()) }
        router.add(middleware: RequestMetricsMiddleware())
        if let context {
            router.add(
                middleware: AuditMiddleware(audit: context.audit, isUpload: settings.isUpload))
        }
        if let site { router.add(middleware: PageHeadersMiddleware(site: site)) }
        router.add(
            middleware: CrossOriginSharingMiddleware(
                tokens: settings.tokens, pageOrigins: settings.pageOrigins))
        router.add(middleware: ErrorResponseMiddleware(methods: methods, pages: site))
        if let context {
            router.add(middleware: ReservedConnectionMiddleware(connections: context.connections))
        }
        router.add(
            middleware: CrossSiteProtectionMiddleware(
                tokens: settings.tokens, pageOrigins: settings.pageOrigins,
                hosts: settings.allowedHosts))
        router.add(middleware: TransferCodingMiddleware())
        router.add(middleware: ExpectContinueMiddleware())
    }

    /// Adds the routes that need no token.
    private func addOpenRoutes(to router: Router<HTTPRequestContext>) {
        HealthController(dependencies).addOpenRoutes(to: router)
        mozilla.addOpenRoutes(to: router)
        symbolicator.addOpenRoutes(to: router)
        UploadScriptController(
            root: settings.pages?.root, hosts: settings.allowedHosts,
            usesTLS: settings.certificate != nil
        ).addRoutes(to: router)
    }

    private func addOperationRoutes(to router: Router<HTTPRequestContext>) {
        let deadLetters = DeadLetterController(resending: dependencies.deadLetters)
        deadLetters.addReadRoutes(to: group(router, requirement: .readAllApps))
        ClusterController(source: dependencies.cluster)
            .addRoutes(to: group(router, requirement: .readAllApps))
        deadLetters.addResendRoutes(to: group(router, requirement: .resendDeadLetters))
    }

    private func addSymbolicateRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        SymbolicateController(
            symbolication: dependencies.symbolication, bodyLimit: settings.bodyLimit,
            memory: memory
        ).addRoutes(to: routes)
        symbolicator.addRoutes(to: routes)
    }

    private func group(
        _ router: Router<HTTPRequestContext>, requirement: TokenRequirement
    ) -> RouterGroup<HTTPRequestContext> {
        router.group().add(
            middleware: AuthorizationMiddleware(
                tokens: settings.tokens, requirement: requirement, sessions: site?.sessions))
    }

    private func addPages(of site: PageSite, to router: Router<HTTPRequestContext>) {
        let open = router.group()
        site.assets.addRoutes(to: open, site)
        SignInController(site: site).addRoutes(to: open)
        DropController(
            site: site, archive: dependencies.archive, catalogue: dependencies.catalogue,
            symbolication: dependencies.symbolication, intake: dependencies.intake,
            folders: dependencies.folders, bundleLimit: settings.bundleLimit,
            bodyLimit: settings.bodyLimit, limiter: uploads, memory: memory,
            store: drops
        ).addRoutes(to: group(router, requirement: .drop))
        addDiagnosticPages(of: site, to: group(router, requirement: .read))
        addSymbolPages(of: site, to: router)
        let health = HealthPageController(
            site: site, readiness: dependencies.readiness, resender: dependencies.deadLetters,
            status: dependencies.status)
        health.addReadRoutes(to: group(router, requirement: .read))
        health.addLetterRoutes(to: group(router, requirement: .readAllApps))
        health.addResendRoutes(to: group(router, requirement: .resendDeadLetters))
    }

    private func addDiagnosticPages(
        of site: PageSite, to routes: RouterGroup<HTTPRequestContext>
    ) {
        DiagnosticPageController(
            site: site, archive: dependencies.archive, groups: dependencies.groups,
            catalogue: dependencies.catalogue, lookup: lookup,
            symbolication: dependencies.symbolication, bodyLimit: settings.bodyLimit
        ).addRoutes(to: routes)
        SearchController(site: site, archive: dependencies.archive).addRoutes(to: routes)
        GroupListController(
            site: site, archive: dependencies.archive, groups: dependencies.groups
        ).addRoutes(to: routes)
        GroupPageController(
            site: site, archive: dependencies.archive, groups: dependencies.groups,
            flames: dependencies.flames, lookup: lookup
        ).addRoutes(to: routes)
        FlamePageController(
            site: site, groups: dependencies.groups, flames: dependencies.flames
        ).addRoutes(to: routes)
        VersionPageController(
            site: site, archive: dependencies.figures, groups: dependencies.groups
        ).addRoutes(to: routes)
    }

    private func addSymbolPages(of site: PageSite, to router: Router<HTTPRequestContext>) {
        let read = group(router, requirement: .read)
        MissingPageController(
            site: site, archive: dependencies.archive, catalogue: dependencies.catalogue
        ).addRoutes(to: read)
        ImagePageController(
            site: site, archive: dependencies.archive, catalogue: dependencies.catalogue,
            groups: dependencies.groups
        ).addRoutes(to: read)
        let builds = BuildPageController(
            site: site, archive: dependencies.archive, catalogue: dependencies.catalogue,
            groups: dependencies.groups, removal: dependencies.removal)
        builds.addReadRoutes(to: read)
        builds.addDeleteRoutes(to: group(router, requirement: .upload))
    }

    private func addIngestRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        let gateway = dependencies.ingest.gateway
        OTLPController(gateway: gateway, bodyLimit: settings.bodyLimit, memory: memory)
            .addRoutes(to: routes)
        MetricKitController(gateway: gateway, bodyLimit: settings.bodyLimit, memory: memory)
            .addRoutes(to: routes)
    }

    private func addUploadRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        UploadController(
            intake: dependencies.intake,
            receiver: UploadReceiver(
                intake: dependencies.intake, folders: dependencies.folders,
                byteLimit: settings.bundleLimit, advice: "increase limits.bundle"),
            limiter: uploads, catalogue: dependencies.catalogue
        ).addRoutes(to: routes)
        SentryController(
            uploads: ChunkedUploads(dependencies.intake), bundleLimit: settings.bundleLimit,
            receiver: UploadReceiver(
                intake: dependencies.intake, folders: dependencies.folders,
                byteLimit: SentryController.requestBytesLimit, advice: "send fewer chunks"),
            limiter: uploads, memory: memory
        ).addRoutes(to: routes)
        missingSymbols.addUploadRoutes(to: routes)
        catalogue.addDeleteRoutes(to: routes)
    }

    private func addReadRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        catalogue.addReadRoutes(to: routes)
        missingSymbols.addReadRoutes(to: routes)
        DiagnosticsController(
            archive: dependencies.archive, lookup: lookup, redaction: settings.redaction
        ).addRoutes(to: routes)
        GroupController(archive: dependencies.groups, redaction: settings.redaction)
            .addRoutes(to: routes)
        FlameController(archive: dependencies.groups, flames: dependencies.flames)
            .addRoutes(to: routes)
        StatusController(source: dependencies.status).addRoutes(to: routes)
        HealthController(dependencies).addReadRoutes(to: routes)
        AppMetricsController(archive: dependencies.figures).addRoutes(to: routes)
        LookupController(symbols: dependencies.symbols, catalogue: dependencies.catalogue)
            .addRoutes(to: routes)
        DebuginfodController(
            downloads: downloads, catalogue: dependencies.catalogue, sender: fileSender
        ).addRoutes(to: routes)
        mozilla.addRoutes(to: routes)
        SymbolSourceController(
            symbols: dependencies.symbols, downloads: downloads, sender: fileSender
        ).addRoutes(to: routes)
    }

    private var lookup: DiagnosticLookup {
        DiagnosticLookup(journal: dependencies.journal, symbolication: dependencies.symbolication)
    }

    private var symbolicator: SymbolicatorController {
        SymbolicatorController(
            symbolication: dependencies.symbolication, symbols: dependencies.symbols,
            pending: pendingReplies, bodyLimit: settings.bodyLimit, memory: memory)
    }

    private var mozilla: MozillaController {
        MozillaController(
            symbols: dependencies.symbols, downloads: downloads, bodyLimit: settings.bodyLimit,
            memory: memory)
    }

    private var fileSender: FileSender {
        FileSender(downloads: downloads, tokens: settings.tokens)
    }

    private var downloads: DebugFileDownloads {
        DebugFileDownloads(dependencies.symbols, limiter: downloadLimiter)
    }

    private var catalogue: CatalogueController {
        CatalogueController(
            catalogue: dependencies.catalogue, removal: dependencies.removal,
            archive: dependencies.archive)
    }

    private var missingSymbols: MissingSymbolsController {
        MissingSymbolsController(
            archive: dependencies.archive, catalogue: dependencies.catalogue,
            intake: dependencies.intake)
    }
}

extension ServerSettings {
    /// The host names that clients without a token may use.
    fileprivate var allowedHosts: AllowedHosts {
        AllowedHosts(
            listening: http.host, others: hosts + [pages?.host].compactMap(\.self))
    }
}

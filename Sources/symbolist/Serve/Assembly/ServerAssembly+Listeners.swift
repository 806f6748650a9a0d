import HTTPService
import Logging
import ServerConfiguration
import ServiceLifecycle

/// The listeners for requests.
extension ServerAssembly {
    func listeners(
        _ dependencies: ServerDependencies, _ settings: ServerSettings
    ) throws -> [any Service] {
        let memory = RequestMemoryBudget(settings)
        let http = try HTTPListener(
            dependencies: dependencies, settings: settings, memory: memory, logger: logger
        ) { [logger] port in
            if let address = settings.pageAddress(port: port) { logger.info("pages: \(address)") }
        }
        guard configuration.grpc != nil else { return [http] }
        let grpc = try GRPCListener(
            dependencies: dependencies, settings: settings, memory: memory, logger: logger)
        return [grpc, http]
    }

    /// Returns the settings of the listeners, with the number of connections that the descriptor
    /// limit allows.
    func serverSettings() throws -> ServerSettings {
        var settings = try configuration.serverSettings(tokens: process.tokens)
        for warning in settings.certificate?.warnings ?? [] { logger.warning("\(warning)") }
        let descriptors = FileDescriptorLimit.raised()
        if settings.connectionLimit > descriptors.connectionCount {
            logger.warning(
                """
                limits.connections: \(settings.connectionLimit) exceed \(descriptors.count) file \
                descriptors: using \(descriptors.connectionCount): increase the limit (ulimit -n)
                """)
            settings.connectionLimit = descriptors.connectionCount
        }
        return settings
    }
}

import HTTPService
import Logging
import Problems
import ServerConfiguration
import ServiceLifecycle
import Telemetry
import UnixSignals

/// Reloads the configuration on SIGHUP and applies the settings that can change at run time:
/// tokens, the certificate and the log level. Open connections are kept.
struct ConfigurationReloader: Service {
    private let tokens: Tokens
    private let certificate: ServerCertificate?
    private let threshold: LogThreshold
    private let logger: Logger
    private let started: LoadedConfiguration
    private let read: @Sendable () throws(ConfigurationError) -> LoadedConfiguration

    init(_ process: ServerProcess, certificate: ServerCertificate?) {
        tokens = process.tokens
        self.certificate = certificate
        threshold = process.threshold
        logger = process.logger
        started = process.loaded
        read = process.read
    }

    private struct Failure: Error {
        let problems: [Problem]
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) { reload() }
        }
    }

    /// Applies the whole configuration or nothing.
    private func reload() {
        do throws(Failure) {
            let loaded = try readConfiguration()
            let configuration = loaded.configuration
            try checkExposure(configuration)
            let newCertificate = try readCertificate(configuration)
            if let newCertificate { certificate?.replace(with: newCertificate) }
            tokens.replace(with: configuration.tokens)
            // Logs the reload even if the new level would hide it.
            threshold.level = min(threshold.level, configuration.log.level)
            defer { threshold.level = configuration.log.level }
            for warning in newCertificate?.warnings ?? [] { logger.warning("\(warning)") }
            logger.notice(
                "configuration: reloaded\(restartHint(loaded))",
                metadata: [
                    "tokens": "\(configuration.access.tokens.count)",
                    "certificate": "\(configuration.tls?.certificate ?? "none")",
                    "log.level": "\(configuration.log.level)",
                ])
        } catch {
            logger.error(
                """
                configuration: not reloaded, the previous one remains: \
                \(error.problems.map(\.description).joined(separator: "; "))
                """)
        }
    }

    /// Returns the end of the log line that names the changed settings that are not applied.
    private func restartHint(_ loaded: LoadedConfiguration) -> String {
        let keys = loaded.keysNeedingRestart(since: started)
        return keys.isEmpty
            ? "" : ": restart to apply \(keys.joined(separator: ", "))"
    }

    private func readConfiguration() throws(Failure) -> LoadedConfiguration {
        do throws(ConfigurationError) { return try read() } catch {
            throw Failure(problems: error.problems)
        }
    }

    /// Checks that the listeners, which keep their hosts until a restart, do not become open to the
    /// network without tokens.
    private func checkExposure(_ configuration: ServerConfiguration) throws(Failure) {
        guard configuration.access.tokens.isEmpty, !configuration.access.isAnonymous else { return }
        let problems = started.configuration.networkListeners.map { group, listener in
            Problem(
                "auth.tokens",
                detail: "cannot all be removed while \(group).host is '\(listener.host)'",
                suggestion: "restart to apply both")
        }
        guard problems.isEmpty else { throw Failure(problems: problems) }
    }

    private func readCertificate(
        _ configuration: ServerConfiguration
    ) throws(Failure) -> ServerCertificate? {
        guard (configuration.tls == nil) == (certificate == nil) else {
            throw Failure(problems: [
                Problem(
                    "tls", detail: "cannot be turned on or off while running", suggestion: "restart"
                )
            ])
        }
        do throws(ListenError) { return try configuration.certificate } catch {
            throw Failure(problems: [error.problem])
        }
    }
}

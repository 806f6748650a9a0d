import Logging
import ServerConfiguration
import ServiceLifecycle
import SymbolServer
import Telemetry
import UnixSignals

/// On SIGHUP, reads the configuration again and takes over what can change while the service runs:
/// tokens, the certificate and the log level. Connections that are open stay.
struct Reloading: Service {
    let tokens: Tokens
    let certificate: ServerCertificate?
    let threshold: LogThreshold
    let logger: Logger
    let read: @Sendable () throws(ConfigurationError) -> LoadedConfiguration

    private struct Refusal: Error {
        let problem: String
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) { reload() }
        }
    }

    /// All of it or nothing.
    private func reload() {
        do throws(Refusal) {
            let configuration = try readConfiguration()
            let newCertificate = try readCertificate(configuration)
            if let newCertificate { certificate?.replace(with: newCertificate) }
            tokens.replace(with: configuration.tokens)
            // What was reloaded is said also where the new level would hide it.
            threshold.level = min(threshold.level, configuration.log.level)
            defer { threshold.level = configuration.log.level }
            for warning in newCertificate?.warnings ?? [] { logger.warning("\(warning)") }
            logger.notice(
                "configuration: reloaded",
                metadata: [
                    "tokens": "\(configuration.access.tokens.count)",
                    "certificate": "\(configuration.tls?.certificate ?? "none")",
                    "log.level": "\(configuration.log.level)",
                ])
        } catch {
            logger.error("configuration: not reloaded, the previous one stays: \(error.problem)")
        }
    }

    private func readConfiguration() throws(Refusal) -> ServerConfiguration {
        do throws(ConfigurationError) { return try read().configuration } catch {
            throw Refusal(problem: error.problems.joined(separator: "; "))
        }
    }

    private func readCertificate(
        _ configuration: ServerConfiguration
    ) throws(Refusal) -> ServerCertificate? {
        guard (configuration.tls == nil) == (certificate == nil) else {
            throw Refusal(problem: "tls: cannot be turned on or off while running: restart")
        }
        do throws(ListenError) { return try configuration.certificate } catch {
            throw Refusal(problem: error.description)
        }
    }
}

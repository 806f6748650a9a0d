import ArgumentParser
import Foundation
import Problems
import ServiceClient

/// `symbolist health`: a health check for containers and scripts that have no curl.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Check whether a service is healthy.",
        discussion: """
            Prints nothing and exits with 0 if the service is healthy, else with 4. Its \
            certificate is not verified: the request carries no data, and containers use an \
            address as host name. For a service with tls.client_ca, \
            SYMBOLIST_CLIENT_CERTIFICATE and SYMBOLIST_CLIENT_KEY name a certificate and its key.
            """)

    @Option(help: ArgumentHelp("The URL of the service.", valueName: "url"))
    var server = "http://127.0.0.1:4318"

    func run() async throws {
        let tls: ClientTLS
        do throws(ServerRequestError) {
            tls = try ClientTLS(environment: ProcessInfo.processInfo.environment)
        } catch { throw ValidationError(error.description) }
        guard let problem = try await HealthCheck(server: server, tls: tls).problem() else {
            return
        }
        Console.problem(problem.of(server))
        throw Outcome.serverRefused
    }
}

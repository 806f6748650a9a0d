import ArgumentParser
import Problems

/// `symbolist health`: a health check for containers and scripts that have no curl.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Check whether a service is healthy.",
        discussion: """
            Prints nothing and exits with 0 if the service is healthy, else with 4. Its \
            certificate is not verified: the request carries no data, and containers use an \
            address as host name.
            """)

    @Option(help: ArgumentHelp("The URL of the service.", valueName: "url"))
    var server = "http://127.0.0.1:4318"

    func run() async throws {
        guard let problem = try await HealthCheck(server: server).problem() else { return }
        Console.problem(problem.of(server))
        throw Outcome.serverRefused
    }
}

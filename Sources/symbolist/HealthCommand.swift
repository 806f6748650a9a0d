import ArgumentParser

/// `symbolist health`: whether a service answers, for containers and scripts that have no curl.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Ask whether a service is alive.",
        discussion: """
            Says nothing and ends with 0 if it is, else with 4. Its certificate is not checked, \
            because nothing is told to it and a container calls itself by an address.
            """)

    @Option(help: ArgumentHelp("The service.", valueName: "url"))
    var server = "http://127.0.0.1:4318"

    func run() async throws {
        guard let problem = try await HealthQuestion(server: server).problem() else { return }
        Console.problem("\(server): \(problem)")
        throw Outcome.serverRefused
    }
}

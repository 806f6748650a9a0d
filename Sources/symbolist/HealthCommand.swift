import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

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

    private static let timeout = TimeAmount.seconds(2)

    func run() async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        let client = HTTPClient(configuration: .init(tlsConfiguration: tls))
        let refusal = await refusal(client)
        try await client.shutdown()
        if let refusal {
            Console.problem("\(server): \(refusal): see the log of the service")
            throw Outcome.serverRefused
        }
    }

    /// Why the service does not count as alive; `nil` if it does.
    private func refusal(_ client: HTTPClient) async -> String? {
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        do {
            let request = HTTPClientRequest(url: base + "/healthz")
            let response = try await client.execute(request, timeout: Self.timeout)
            return response.status == .ok ? nil : "answers \(response.status.code)"
        } catch {
            return "does not answer"
        }
    }
}

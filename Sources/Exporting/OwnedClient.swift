import AsyncHTTPClient

/// An HTTP client that is shut down when nobody has it any more, which it has to be even if it was
/// never used: the settings of another exporter may be wrong.
final class OwnedClient: Sendable {
    let client: HTTPClient

    init(_ configuration: HTTPClient.Configuration) {
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Waits until all connections are closed.
    func shutDown() async {
        // Fails only when it was shut down before.
        do { try await client.shutdown() } catch {}
    }

    deinit { client.shutdown { _ in } }
}

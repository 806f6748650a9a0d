import AsyncHTTPClient

/// An HTTP client that is shut down with its last reference. `HTTPClient` requires that even of a client
/// that was never used, as when the settings of another exporter are invalid.
final class ScopedHTTPClient: Sendable {
    let client: HTTPClient

    init(_ configuration: HTTPClient.Configuration) {
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Waits until all connections are closed.
    func shutDown() async {
        // Fails only if it was shut down before.
        do { try await client.shutdown() } catch {}
    }

    deinit { client.shutdown { _ in } }
}

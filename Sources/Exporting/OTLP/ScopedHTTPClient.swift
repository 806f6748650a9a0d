import AsyncHTTPClient

/// An HTTP client that is shut down when its last reference is released. `HTTPClient` requires a
/// shutdown even if it was never used, as when the settings of another exporter are invalid.
final class ScopedHTTPClient: Sendable {
    let client: HTTPClient

    init(_ configuration: HTTPClient.Configuration) {
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Waits until all connections are closed.
    func shutDown() async {
        // Throws only if the client was already shut down.
        do { try await client.shutdown() } catch {}
    }

    deinit { client.shutdown { _ in } }
}

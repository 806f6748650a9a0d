import Foundation
import Problems

/// Caches credentials for all requests, and refreshes them before they expire.
actor CredentialCache {
    private let source: any CredentialSource
    private let now: @Sendable () -> Date
    private var held: Credentials?
    private var refreshTime = Date.distantPast
    /// The current refresh. All waiting requests share it, so it continues if the request that
    /// started it is cancelled.
    private var refresh: Task<Credentials?, any Error>?

    /// - Parameter now: The machine's time.
    init(_ source: any CredentialSource, now: @escaping @Sendable () -> Date) {
        self.source = source
        self.now = now
    }

    /// Returns credentials that are valid for at least some minutes, or the current ones if
    /// refreshing fails before they expire.
    ///
    /// - Throws: ``ObjectStorageError`` if there are none.
    func credentials() async throws -> Credentials {
        if let held, now() < refreshTime { return held }
        do {
            return try await refreshed()
        } catch {
            guard let held, held.expiration.map({ now() < $0 }) ?? true else { throw error }
            refreshTime = now().addingTimeInterval(Self.pause)
            return held
        }
    }

    /// Makes the next request load credentials again, because the server rejected these.
    func discard(_ refused: Credentials) {
        if held == refused { held = nil }
    }

    private func refreshed() async throws -> Credentials {
        if let refresh { return try Self.found(await refresh.value) }
        let task = Task { [source] in try await source.credentials() }
        refresh = task
        defer { refresh = nil }
        let loaded = try Self.found(await task.value)
        held = loaded
        refreshTime = refreshTime(of: loaded)
        return loaded
    }

    /// Returns a time at least ``pause`` ahead. If the clocks differ, credentials may seem expired,
    /// and would otherwise be loaded for every request.
    private func refreshTime(of credentials: Credentials) -> Date {
        guard let expiration = credentials.expiration else { return .distantFuture }
        let lifetime = expiration.timeIntervalSince(now())
        let early = min(Self.margin, lifetime / 4)
        return now().addingTimeInterval(max(lifetime - early, Self.pause))
    }

    /// The time before the expiration at which credentials are refreshed.
    static let margin: TimeInterval = 300
    /// The minimum time between two refreshes, including failed ones.
    static let pause: TimeInterval = 10

    private static func found(_ credentials: Credentials?) throws -> Credentials {
        guard let credentials else {
            throw ObjectStorageError(
                .accessDenied,
                Problem(
                    "credentials", detail: "none found",
                    suggestion:
                        "set blobs.access_key_id and blobs.secret_key_file, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                ))
        }
        return credentials
    }
}

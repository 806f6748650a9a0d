import AsyncHTTPClient
import Foundation
import NIOCore
import TaskCoordination

/// The objects of an ``ObjectLocation``.
///
/// Requests are signed, retried after transient failures, and limited in number. Files are
/// streamed, so no operation holds a whole file in memory. Close the bucket with ``close()``.
///
/// See the Amazon S3 API reference, version 2006-03-01. Nothing depends on conditional requests,
/// which some servers ignore: object names are never reused.
public final class Bucket: Sendable {
    public let location: ObjectLocation
    let settings: BucketSettings
    let connection: StorageConnection
    private let client: HTTPClient

    /// - Parameter observer: Called after each request, including its retries.
    public convenience init(
        _ location: ObjectLocation, settings: BucketSettings = BucketSettings(),
        retry: AttemptPolicy = AttemptPolicy(), credentials: CredentialSettings,
        observer: RequestObserver? = nil
    ) {
        self.init(
            location, settings: settings, retry: retry, credentials: credentials,
            observer: observer, now: { Date() })
    }

    /// - Parameter now: The machine's time.
    init(
        _ location: ObjectLocation, settings: BucketSettings, retry: AttemptPolicy,
        credentials: CredentialSettings, observer: RequestObserver? = nil,
        now: @escaping @Sendable () -> Date
    ) {
        self.location = location
        self.settings = settings
        client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: Self.configuration(settings))
        let chain = CredentialChain(
            credentials, region: location.region,
            client: CredentialClient(
                client: client, retry: Self.credentialRetry(retry), limit: settings.silence))
        connection = StorageConnection(
            location: location, client: client, credentials: CredentialCache(chain, now: now),
            clock: ServerClock(now: now), retry: retry, silence: settings.silence,
            slots: TaskSemaphore(count: settings.requestsAtOnce), observer: observer)
    }

    private static func configuration(_ settings: BucketSettings) -> HTTPClient.Configuration {
        let silence = TimeAmount(settings.silence)
        var configuration = HTTPClient.Configuration(
            // A redirect means that the region or the endpoint is wrong, and requests have
            // signatures.
            redirectConfiguration: .disallow,
            timeout: .init(connect: min(silence, .seconds(10)), read: silence, write: silence))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            settings.requestsAtOnce
        // ``StorageConnection`` retries requests.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        return configuration
    }

    /// Requests for credentials delay all others, so they are retried fewer times.
    private static func credentialRetry(_ retry: AttemptPolicy) -> AttemptPolicy {
        var retry = retry
        retry.attemptLimit = min(retry.attemptLimit, 3)
        return retry
    }

    /// Closes all connections. Requests in flight fail.
    public func close() async {
        // Fails only if it was closed before.
        do { try await client.shutdown() } catch {}
    }

    deinit { client.shutdown { _ in } }
}

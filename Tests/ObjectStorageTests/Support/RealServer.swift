import Foundation
import NIOHTTP1
import ObjectStorageSupport
import TestSupport

@testable import ObjectStorage

extension RealServer {
    static let credentials = CredentialSettings(environment: [
        "AWS_ACCESS_KEY_ID": accessKeyID, "AWS_SECRET_ACCESS_KEY": secret,
    ])

    /// Runs a test with objects of its own.
    static func with<Result>(
        _ prefix: String, settings: BucketSettings = .small,
        now: @escaping @Sendable () -> Date = { Date() },
        _ body: (Bucket) async throws -> Result
    ) async throws -> Result {
        try await withBucket(
            at: try await shared().endpoint, settings: settings, retry: .patient,
            credentials: credentials, prefix: prefix, now: now, body)
    }

    static func shared() async throws -> RealServer { try await shared(prepare: prepare) }

    private static func prepare(_ endpoint: String) async throws {
        let key = try ObjectKey.test("ready")
        try await withBucket(at: endpoint, credentials: credentials, prefix: "start") { bucket in
            _ = try? await bucket.send(StorageRequest(.PUT))
            try await bucket.upload([1], as: key)
        }
    }
}

extension AttemptPolicy {
    /// Retries as often as a loaded machine may need.
    static let patient = {
        var retry = AttemptPolicy()
        retry.attemptLimit = 10
        return retry
    }()
}

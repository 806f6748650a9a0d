import Foundation
import TestSupport

@testable import ObjectStorage

/// Runs a test with a bucket of a server, and closes it.
func withBucket<Result>(
    at endpoint: String, settings: BucketSettings = .small, retry: AttemptPolicy = .quick,
    credentials: CredentialSettings = .example, prefix: String = "test",
    now: @escaping @Sendable () -> Date = { Date() },
    _ body: (Bucket) async throws -> Result
) async throws -> Result {
    let location = try ObjectLocation(url: "s3://example-bucket/\(prefix)", endpoint: endpoint)
    let bucket = Bucket(
        location, settings: settings, retry: retry, credentials: credentials, now: now)
    do {
        let result = try await body(bucket)
        await bucket.close()
        return result
    } catch {
        await bucket.close()
        throw error
    }
}

extension CredentialSettings {
    static let exampleSecret = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"

    static let example = CredentialSettings(environment: [
        "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": exampleSecret,
    ])
}

extension BucketSettings {
    /// Parts as small as possible, and time for a loaded machine.
    static let small = {
        var settings = BucketSettings()
        settings.partBytes = 5 << 20
        settings.silence = .seconds(60)
        return settings
    }()

    /// For responses that never come.
    static let impatient = {
        var settings = BucketSettings.small
        settings.silence = .milliseconds(300)
        return settings
    }()
}

extension AttemptPolicy {
    /// Retries without delays.
    static let quick = {
        var retry = AttemptPolicy()
        retry.attemptLimit = 3
        retry.sleep = { _ in try Task.checkCancellation() }
        return retry
    }()
}

/// Returns bytes that do not compress or repeat.
func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var numbers = SplitMix64(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
        unsafe withUnsafeBytes(of: numbers.next()) { unsafe bytes.append(contentsOf: $0) }
    }
    return Array(bytes.prefix(count))
}

/// Returns the error of an operation that must fail.
func failure(_ body: () async throws -> some Any) async -> ObjectStorageError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? ObjectStorageError
    }
}

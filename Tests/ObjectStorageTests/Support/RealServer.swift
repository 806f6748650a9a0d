import Foundation
import Glibc
import TestSupport

@testable import ObjectStorage

/// SeaweedFS, an S3-compatible server, started once for all tests of a process.
///
/// `Scripts/install-peers` installs it. It ends with the process of the tests, however that ends: a
/// shell waits for the end of its input, a pipe whose other side only this process has.
struct RealServer: Sendable {
    let endpoint: String

    static let accessKeyID = "symbolist-test"
    static let secret = "a-secret-of-the-tests"
    static let bucket = "example-bucket"

    static let credentials = CredentialSettings(environment: [
        "AWS_ACCESS_KEY_ID": accessKeyID, "AWS_SECRET_ACCESS_KEY": secret,
    ])

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let started = Task.detached { try await start() }

    static func shared() async throws -> RealServer { try await started.value }

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

    private static func start() async throws -> RealServer {
        let program = projectFolder.appendingPathComponent(".build-peers/bin/weed").path
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Failure(description: "\(program): no such program: run Scripts/install-peers")
        }
        var log = ""
        // Another process may take a port first.
        for _ in 0..<3 {
            let process = try WeedProcess(program)
            if await process.isReady() { return RealServer(endpoint: process.endpoint) }
            log = process.log
            process.stop()
        }
        throw Failure(description: "weed: did not start:\n\(log.suffix(4_000))")
    }
}

extension RetryPolicy {
    /// Retries as often as a loaded machine may need.
    static let patient = {
        var retry = RetryPolicy()
        retry.attemptLimit = 10
        return retry
    }()
}

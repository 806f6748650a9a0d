import Foundation
import JournalSupport
import NIOHTTP1
import ObjectStorageSupport
import SharedDatabase
import TestSupport

@testable import ObjectStorage

/// A bucket folder and a database for the nodes of one test.
struct TestNodes {
    let cluster: TestCluster
    let endpoint: String
    let prefix: String
    let bucket: Bucket
    let first: SharedDatabase
    let second: SharedDatabase
    let folder: TestFolder

    /// Runs a test with two nodes that share a database and a bucket.
    static func run(_ body: (TestNodes) async throws -> Void) async throws {
        let endpoint = try await RealServer.shared(prepare: prepare).endpoint
        let prefix = "nodes-\(UUID().uuidString)"
        try await withBucket(at: endpoint, prefix: prefix) { bucket in
            let cluster = try TestCluster()
            try await cluster.withNode { first in
                try await cluster.withNode { second in
                    try await body(
                        TestNodes(
                            cluster: cluster, endpoint: endpoint, prefix: prefix, bucket: bucket,
                            first: first.database, second: second.database,
                            folder: try TestFolder()))
                }
            }
        }
    }

    private static func prepare(_ endpoint: String) async throws {
        try await withBucket(at: endpoint, prefix: "start") { bucket in
            _ = try? await bucket.send(StorageRequest(.PUT))
            try await bucket.upload([1], as: try testKey("ready"))
        }
    }

    /// The keys of all objects, in order.
    var objects: [String] {
        get async throws {
            var names: [String] = []
            for try await object in bucket.objects() { names.append(object.key.rawValue) }
            return names.sorted()
        }
    }

    /// Writes a file whose content depends on a number.
    func file(_ number: UInt8, count: Int = 1_000) throws -> String {
        try folder.write(
            (0..<count).map { UInt8(truncatingIfNeeded: $0) ^ number }, to: "file-\(number)")
    }

    /// Makes rows look as if they had been stored some days ago.
    func age(_ table: String, days: Int) async throws {
        try await cluster.run("UPDATE \(table) SET touched = now() - interval '\(days) days'")
    }
}

/// Returns the name of a blob that a test makes up.
func blobName(_ number: UInt8) -> String {
    String(repeating: String(Int(number) + 0x10, radix: 16), count: 32)
}

/// Runs a test with a bucket of a server, and closes it.
func withBucket<Result>(
    at endpoint: String, prefix: String, retry: AttemptPolicy = .patient,
    _ body: (Bucket) async throws -> Result
) async throws -> Result {
    let location = try ObjectLocation(
        url: "s3://\(RealServer.bucket)/\(prefix)", endpoint: endpoint)
    var settings = BucketSettings()
    settings.partBytes = 5 << 20
    settings.silence = .seconds(60)
    let bucket = Bucket(
        location, settings: settings, retry: retry,
        credentials: CredentialSettings(environment: [
            "AWS_ACCESS_KEY_ID": RealServer.accessKeyID,
            "AWS_SECRET_ACCESS_KEY": RealServer.secret,
        ]))
    do {
        let result = try await body(bucket)
        await bucket.close()
        return result
    } catch {
        await bucket.close()
        throw error
    }
}

func testKey(_ text: String) throws -> ObjectKey {
    guard let key = ObjectKey(text) else { throw InvalidTestKey() }
    return key
}

private struct InvalidTestKey: Error {}

extension AttemptPolicy {
    /// Retries as often as a loaded machine may need.
    static let patient = {
        var retry = AttemptPolicy()
        retry.attemptLimit = 10
        return retry
    }()

    static let once = {
        var retry = AttemptPolicy()
        retry.attemptLimit = 1
        return retry
    }()

    /// Retries once, without a delay.
    static let quick = {
        var retry = AttemptPolicy()
        retry.attemptLimit = 2
        retry.sleep = { _ in try Task.checkCancellation() }
        return retry
    }()
}

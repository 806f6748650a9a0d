import Foundation
import Synchronization
import TestSupport

/// SeaweedFS, an S3-compatible server, started once for all tests of a process.
///
/// `Scripts/install-peers` installs it. It ends with the process of the tests, however that ends: a
/// shell waits for the end of its input, a pipe whose other side only this process has.
public struct RealServer: Sendable {
    public let endpoint: String

    public static let accessKeyID = "symbolist-test"
    public static let secret = "a-secret-of-the-tests"
    public static let bucket = "example-bucket"

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let started = Mutex<Task<RealServer, any Error>?>(nil)

    /// Returns the server that all tests share.
    ///
    /// - Parameter prepare: Makes the bucket of a server at an endpoint, and stores an object in it.
    ///   It is called until it succeeds.
    public static func shared(
        prepare: @escaping @Sendable (_ endpoint: String) async throws -> Void
    ) async throws -> RealServer {
        let task = started.withLock { started in
            let task = started ?? Task.detached { try await start(prepare) }
            started = task
            return task
        }
        return try await task.value
    }

    private static func start(
        _ prepare: @escaping @Sendable (_ endpoint: String) async throws -> Void
    ) async throws -> RealServer {
        let program = projectFolder.appendingPathComponent(".build-peers/bin/weed").path
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Failure(description: "\(program): no such program: run Scripts/install-peers")
        }
        var log = ""
        // Another process may take a port first.
        for _ in 0..<3 {
            let process = try WeedProcess(program)
            let isReady = await eventually(within: .seconds(180)) {
                do {
                    try await prepare(process.endpoint)
                    return true
                } catch { return false }
            }
            if isReady { return RealServer(endpoint: process.endpoint) }
            log = process.log
            process.stop()
        }
        throw Failure(description: "weed: did not start:\n\(log.suffix(4_000))")
    }
}

import Foundation
import TestSupport

/// `sentry-cli`, as a user runs it.
struct SentryClient: Sendable {
    /// The versions that the tests use.
    static let versions = ["2.58.6", "3.8.2"]

    /// `Scripts/test` installs the clients and requires them; otherwise they are used if installed.
    static let areWanted =
        ProcessInfo.processInfo.environment["REQUIRE_PEERS"] == "1"
        || versions.allSatisfy { FileManager.default.isExecutableFile(atPath: path(of: $0)) }

    private static func path(of version: String) -> String {
        projectFolder.appendingPathComponent(
            ".build-peers/sentry-cli-\(version)/bin/sentry-cli"
        ).path
    }

    let version: String
    let folder: TestFolder
    private let settings: [String: String]

    /// - Parameter settings: The client's environment, except for the path.
    init(_ version: String, _ settings: [String: String]) throws {
        self.version = version
        folder = try TestFolder()
        self.settings = settings
    }

    /// Starts the client without waiting for it.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Served {
        var all = ["PATH": "/usr/bin:/bin", "HOME": folder.path]
        all.merge(settings) { $1 }
        all.merge(environment) { $1 }
        return try Served(
            [Self.path(of: version)] + arguments, environment: all,
            log: folder.url.appendingPathComponent(UUID().uuidString))
    }

    struct Result {
        var status: Int32
        var text: String
    }

    func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Result {
        let process = try start(arguments, environment: environment)
        let status = await process.status
        return Result(
            status: status, text: try String(contentsOf: process.log, encoding: .utf8))
    }

    /// Uploads for an app, and waits until the files are processed.
    func upload(
        _ paths: [String], app: String = SentryClientTests.app, _ options: String...
    ) async throws -> Result {
        try await run(["debug-files", "upload", "-p", app, "--wait"] + options + paths)
    }
}

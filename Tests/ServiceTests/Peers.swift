import Foundation
import TestSupport
import Testing

/// The receiver in Python, and the environment in which it and the senders run.
final class Peers: Sendable {
    struct Line {
        let object: [String: Any]

        private func text(_ key: String) -> String? { object[key] as? String }

        var signal: String? { text("signal") }
        var way: String? { text("way") }
        var service: String? { text("service") }
        var name: String? { text("name") }
        var body: String? { text("body") }
        var event: String? { text("event") }
        var severity: String? { text("severity") }
        var trace: String? { text("trace") }
        var attributes: [String: Any] { object["attributes"] as? [String: Any] ?? [:] }
        var number: Int? { attributes["number"] as? Int }
        var points: [Int]? { object["points"] as? [Int] }
        /// The start and end of a span.
        var nanoseconds: [Int]? { object["nanoseconds"] as? [Int] }
    }

    /// Whether to use the peers. `Scripts/test` installs and requires them; otherwise they are used
    /// if installed.
    static let areWanted =
        ProcessInfo.processInfo.environment["REQUIRE_PEERS"] == "1"
        || FileManager.default.isExecutableFile(atPath: python)

    private static let python =
        projectFolder.appendingPathComponent(".build-peers/bin/python").path

    let port: Int
    let grpcPort: Int
    private let process: Served
    private let folder: URL

    init() async throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = try Self.run("receive.py", [], log: folder.appendingPathComponent("received"))
        let log = process.log
        _ = await eventually { process.hasEnded || (try? Self.lines(of: log).first) != nil }
        let ports = try #require(try Self.lines(of: log).first, "the receiver does not start")
        port = try #require(ports.object["http"] as? Int)
        grpcPort = try #require(ports.object["grpc"] as? Int)
        self.process = process
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func end() { process.signalEnd() }

    /// Returns the lines received so far.
    func lines() throws -> [Line] { Array(try Self.lines(of: process.log).dropFirst()) }

    private static func lines(of file: URL) throws -> [Line] {
        let text = try String(contentsOf: file, encoding: .utf8)
        // The last line may be incomplete.
        let whole = text[..<(text.lastIndex(of: "\n") ?? text.startIndex)]
        return try whole.split(separator: "\n").map {
            Line(
                object: try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
                    ?? [:])
        }
    }

    /// Lets the SDK send all its records, and waits for its end.
    ///
    /// - Returns: The identifier of its trace.
    static func send(_ way: String, to port: Int) async throws -> String {
        let stack = "Fixtures/Diagnostics/\(Requests.build)/divide-by-zero.flat.json"
        let output = try await output(
            "send.py",
            [way, "http://127.0.0.1:\(port)", projectFolder.appendingPathComponent(stack).path])
        return output.split(separator: "\n").first.map(String.init) ?? ""
    }

    /// Returns the output of a script, which must succeed.
    static func output(_ script: String, _ arguments: [String]) async throws -> String {
        let log = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: log) }
        let status = try await run(script, arguments, log: log).status
        let output = try String(contentsOf: log, encoding: .utf8)
        try #require(status == 0, "\(output)")
        return output
    }

    private static func run(_ script: String, _ arguments: [String], log: URL) throws -> Served {
        let path = projectFolder.appendingPathComponent("Tests/Peers/\(script)").path
        return try Served(
            [python, path] + arguments, environment: ProcessInfo.processInfo.environment, log: log)
    }
}

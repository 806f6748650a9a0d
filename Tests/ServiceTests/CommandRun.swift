import Foundation
import TestSupport

/// A finished run of a client command.
struct CommandRun: Sendable {
    let status: Int32
    let output: String
    /// The lines of standard error.
    let problems: [String]

    func object() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
    }

    func lines() throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
    }
}

/// Runs client commands in a separate folder, with a separate cache.
final class CommandLineClient: Sendable {
    let folder: TestFolder
    private let settings: [String: String]

    /// - Parameter environment: The variables of each run, in addition to those of this process.
    init(_ environment: [String: String] = [:]) throws {
        folder = try TestFolder()
        settings = environment
    }

    /// Starts a command without waiting for it.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> StartedCommand
    {
        var all = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("SYMBOLIST_") && !$0.key.lowercased().hasSuffix("_proxy")
        }
        all["CI"] = "1"
        all["SYMBOLIST_CACHE"] = folder.path("cache")
        all.merge(settings) { $1 }
        all.merge(environment) { $1 }
        return try StartedCommand(arguments, environment: all, in: folder)
    }

    func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> CommandRun
    {
        try await start(arguments, environment: environment).end()
    }
}

/// A running client command.
final class StartedCommand: Sendable {
    private let served: Served
    private let output: URL

    init(_ arguments: [String], environment: [String: String], in folder: TestFolder) throws {
        let name = UUID().uuidString
        output = folder.url.appendingPathComponent("\(name).out")
        // The log of a process has both streams, so the shell separates the output. In a folder
        // without `Symbols`, no symbols are found by chance.
        served = try Served(
            [
                "/bin/sh", "-c", "cd '\(folder.path)' && exec \"$0\" \"$@\" > '\(output.path)'",
                executable,
            ] + arguments,
            environment: environment, log: folder.url.appendingPathComponent("\(name).log"))
    }

    func kill() async { await served.kill() }

    func end() async throws -> CommandRun {
        let status = await served.status
        let problems = try String(contentsOf: served.log, encoding: .utf8)
        return CommandRun(
            status: status, output: try String(contentsOf: output, encoding: .utf8),
            problems: problems.split(separator: "\n").map(String.init))
    }
}

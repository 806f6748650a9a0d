import Foundation
import TestSupport

/// A finished run of the executable.
struct Run {
    let output: Data
    /// The lines of standard error.
    let problems: [String]
    let status: Int32

    var text: String { String(decoding: output, as: UTF8.self) }

    /// Returns the output, parsed as JSON.
    func json() throws -> Any {
        try JSONSerialization.jsonObject(with: output, options: .fragmentsAllowed)
    }

    func object() throws -> [String: Any] { try json() as? [String: Any] ?? [:] }

    /// Returns the output, parsed as one JSON object per line.
    func lines() throws -> [[String: Any]] {
        try text.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
    }
}

/// Waits for a process on a separate thread, because a server in the test needs the tests' threads.
func onOwnThread(_ body: @escaping @Sendable () throws -> Run) async throws -> Run {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}

extension Workspace {
    /// Runs the executable.
    ///
    /// - Parameter inProject: Whether to run in the project folder, which fixture paths are
    ///   relative to, and not in the test's folder.
    func symbolist(
        _ arguments: String..., input: String = "", environment: [String: String] = [:],
        inProject: Bool = false
    ) throws -> Run {
        try run(
            executable.path, arguments, input: input, environment: environment,
            in: inProject ? projectFolder : folder)
    }

    /// Runs a shell command in which `symbolist` is the executable.
    func shell(_ line: String, environment: [String: String] = [:]) throws -> Run {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let changes = ["PATH": "\(executable.deletingLastPathComponent().path):\(path)"]
        return try run(
            "/bin/sh", ["-c", line], input: "", environment: changes.merging(environment) { $1 },
            in: folder)
    }

    func run(
        _ program: String, _ arguments: [String], input: String, environment: [String: String],
        in folder: URL
    ) throws -> Run {
        // Files need no reader while the process runs, unlike pipes.
        let name = UUID().uuidString
        let inputFile = try file("\(name).in", text: input)
        let outputFile = try file("\(name).out", text: "")
        let problemFile = try file("\(name).err", text: "")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = self.environment(environment)
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle(forReadingAtPath: inputFile)
        process.standardOutput = FileHandle(forWritingAtPath: outputFile)
        process.standardError = FileHandle(forWritingAtPath: problemFile)
        try process.run()
        process.waitUntilExit()
        let problems = try String(contentsOfFile: problemFile, encoding: .utf8)
        return Run(
            output: try Data(contentsOf: URL(fileURLWithPath: outputFile)),
            problems: problems.split(separator: "\n").map(String.init),
            status: process.terminationStatus)
    }
}

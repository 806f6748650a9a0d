import Foundation
import Synchronization

/// A run of a program as a separate process, usually of the service.
final class Served: Sendable {
    let log: URL
    private let id: Int32
    private let ending: Task<Int32, Never>
    private let isOver = Mutex(false)
    private let process: Mutex<Process>

    /// - Parameter log: The file to which its output is appended.
    init(_ arguments: [String], environment: [String: String], log: URL) throws {
        if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        let output = try FileHandle(forWritingTo: log)
        try output.seekToEnd()
        let (endings, end) = AsyncStream.makeStream(of: Int32.self)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: arguments[0])
        process.arguments = Array(arguments.dropFirst())
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { end.yield($0.terminationStatus) }
        try process.run()
        try output.close()
        self.log = log
        id = process.processIdentifier
        ending = Task {
            for await status in endings { return status }
            return -1
        }
        self.process = Mutex(process)
        Task {
            _ = await ending.value
            isOver.withLock { $0 = true }
        }
    }

    deinit { if !hasEnded { signalEnd() } }

    var hasEnded: Bool { isOver.withLock(\.self) }

    func signalEnd() { Glibc.kill(id, SIGKILL) }

    /// Stops all threads of the process, which keeps its connections and its memory.
    func pause() { Glibc.kill(id, SIGSTOP) }

    /// Continues the process after ``pause()``.
    func resume() { Glibc.kill(id, SIGCONT) }

    func kill() async {
        signalEnd()
        _ = await ending.value
    }

    /// Requests the process to stop, and waits for its end.
    ///
    /// - Returns: Its exit code, or the signal that ended it.
    func stop() async -> Int32 {
        Glibc.kill(id, SIGTERM)
        return await ending.value
    }

    /// The exit code, or the signal that ended the process.
    var status: Int32 { get async { await ending.value } }

    /// Returns its resident memory, in bytes.
    func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let words = line?.split(separator: " ") ?? []
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0) << 10
    }

    /// Removes a limit on the size of its files.
    func liftFileLimit() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["prlimit", "--pid", "\(id)", "--fsize=unlimited:unlimited"]
        try process.run()
        process.waitUntilExit()
    }
}

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport

/// `symbolist serve` as a separate process, with a data folder and an exporter to a file.
final class ServedProcess: Sendable {
    let folder: TestFolder
    private let process: Process
    private let output: Output

    /// - Parameters:
    ///   - arguments: Arguments in addition to those for the folder.
    ///   - environment: Variables in addition to those of this process.
    init(
        _ arguments: [String], folder: TestFolder, environment: [String: String] = [:]
    ) throws {
        self.folder = folder
        process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["serve", "--data", folder.url.path + "/data"] + arguments
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardError = pipe
        output = Output(pipe.fileHandleForReading)
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Returns the last number in the first line that contains `text`, or `nil` if the process ends
    /// first.
    func port(_ text: String) async -> Int? {
        guard let line = await output.line(with: text) else { return nil }
        return line.split(whereSeparator: { !$0.isNumber }).last.flatMap { Int($0) }
    }

    /// Returns the first line that contains `text`, or `nil` if the process ends first.
    func line(_ text: String) async -> String? { await output.line(with: text) }

    /// Returns whether the service says at an HTTP port that it is ready.
    func isReady(at port: Int) async throws -> Bool {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/readyz")
        return try await HTTPClient.patient.execute(request, timeout: .seconds(600)).status == .ok
    }

    func signal(_ number: Int32) { kill(id, number) }

    private var id: Int32 { process.processIdentifier }

    /// Waits for its end.
    ///
    /// - Returns: The exit status and the lines of standard error.
    func end() async -> (status: Int32, lines: [String]) {
        let lines = await output.all()
        process.waitUntilExit()
        return (process.terminationStatus, lines)
    }
}

/// The lines of standard error.
private final class Output: Sendable {
    private let lines = Mutex<[String]>([])
    private let stream: AsyncStream<String>

    init(_ handle: FileHandle) {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        self.stream = stream
        Thread.detachNewThread {
            var rest = ""
            while case let data = handle.availableData, !data.isEmpty {
                rest += String(decoding: data, as: UTF8.self)
                while let end = rest.firstIndex(of: "\n") {
                    continuation.yield(String(rest[..<end]))
                    rest = String(rest[rest.index(after: end)...])
                }
            }
            continuation.finish()
        }
    }

    func line(with text: String) async -> String? {
        if let line = lines.withLock({ $0.first { $0.contains(text) } }) { return line }
        for await line in stream {
            lines.withLock { $0.append(line) }
            if line.contains(text) { return line }
        }
        return nil
    }

    func all() async -> [String] {
        for await line in stream { lines.withLock { $0.append(line) } }
        return lines.withLock(\.self)
    }
}

extension ServedProcess {
    /// The resident memory, in bytes.
    var residentBytes: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) << 10
        }
    }
}

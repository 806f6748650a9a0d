import AsyncHTTPClient
import Foundation
import NIOCore
import Synchronization
import TestSupport

/// `symbolist serve` as a process of its own, with a data folder and an exporter to a file.
final class ServedProcess: Sendable {
    let folder: TestFolder
    private let process: Process
    private let output: Output

    /// - Parameter arguments: Beside those for the folder.
    init(_ arguments: [String], folder: TestFolder) throws {
        self.folder = folder
        process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["serve", "--data", folder.url.path + "/data"] + arguments
        process.currentDirectoryURL = folder.url
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardError = pipe
        output = Output(pipe.fileHandleForReading)
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// The number behind the last colon of the first line that has `text`; `nil` if it ends before.
    func port(_ text: String) async -> Int? {
        guard let line = await output.line(with: text) else { return nil }
        return line.split(whereSeparator: { !$0.isNumber }).last.flatMap { Int($0) }
    }

    /// The first line that has `text`; `nil` if the process ends before.
    func line(_ text: String) async -> String? { await output.line(with: text) }

    func signal(_ number: Int32) { kill(id, number) }

    private var id: Int32 { process.processIdentifier }

    /// Waits for its end.
    ///
    /// - Returns: What it ended with, and the lines of its standard error.
    func end() async -> (status: Int32, lines: [String]) {
        let lines = await output.all()
        process.waitUntilExit()
        return (process.terminationStatus, lines)
    }
}

/// The lines of standard error as they come.
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
    /// How much memory it has.
    var residentBytes: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) << 10
        }
    }
}

import CallStacks
import Foundation
import Glibc
import Logging
import Testing

@testable import Telemetry

@Suite("The output of the log")
struct LogOutputTests {
    func logger(
        _ output: LogOutput, format: LogFormat = .text, provider: Logger.MetadataProvider? = nil
    ) -> Logger {
        Logger(label: "test") { label in
            LineLogHandler(
                label: label, threshold: LogThreshold(.info), format: format, output: output,
                metadataProvider: provider, now: { UnixTime(rawValue: 0) })
        }
    }

    /// Everything that can be read now.
    func text(_ pipe: Pipe) -> String {
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }

    @Test("a line contains the metadata of the logger, of the task and of the message")
    func metadata() {
        let pipe = Pipe()
        let output = LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        var logger = logger(output, provider: .init { ["a": "task", "b": "task"] })
        logger[metadataKey: "a"] = "logger"
        logger[metadataKey: "d"] = ["x", "y"]
        logger.info("hello", metadata: ["b": "message"])
        #expect(
            text(pipe)
                == "1970-01-01T00:00:00.000Z info test: hello "
                + "a=task b=message d=\"[\\\"x\\\", \\\"y\\\"]\"\n")
    }

    @Test("messages below the handler's level are dropped")
    func levels() {
        let pipe = Pipe()
        let output = LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        var logger = logger(output, format: .json)
        logger.debug("not this")
        logger.logLevel = .debug
        logger.debug("this")
        #expect(text(pipe).contains(#""message":"this""#))
    }

    @Test("a blocked output drops and counts lines, and never blocks the service")
    func stuckReader() {
        let pipe = Pipe()
        let output = LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let logger = logger(output)
        let message = String(repeating: "x", count: 1_000)
        // Far more than the capacity of a pipe. Only the first blocked line waits.
        for _ in 0..<2_000 { logger.info("\(message)") }
        var received = text(pipe)
        logger.info("after")
        received += text(pipe)
        let lines = received.split(separator: "\n")
        let complete = lines.filter { $0.hasSuffix("info test: " + message) }.count
        #expect(complete > 0)
        #expect(
            lines.dropFirst(complete).map { String($0.dropFirst(25)) } == [
                "warning test: log: \(2_000 - complete) lines dropped: the output was blocked",
                "info test: after",
            ])
    }

    @Test("a closed output loses only its lines")
    func closedReader() throws {
        // As the commands do; otherwise the signal would end the process.
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        let output = LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        try pipe.fileHandleForReading.close()
        var missing: [Int] = []
        for _ in 0..<3 {
            output.write(Array("line\n".utf8)) { count in
                missing.append(count)
                return Array("notice\n".utf8)
            }
        }
        #expect(missing == [1, 2])
    }
}

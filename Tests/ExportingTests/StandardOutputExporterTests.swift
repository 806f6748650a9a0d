import Foundation
import Ingest
import OTLP
import TestSupport
import Testing

@testable import Exporting

@Suite("Export to standard output", .ownThreads)
struct StandardOutputExporterTests {
    @Test("each batch is a line of OTLP's JSON")
    func lines() async throws {
        let pipe = Pipe()
        let exporter = StandardOutputExporter(
            ExporterSettings(kind: .standardOutput, name: "out"),
            handle: pipe.fileHandleForWriting)
        #expect(await exporter.send(Records.logs(["a", "b"])) == taken)
        #expect(await exporter.send(Records.logs(["c"])) == taken)
        try pipe.fileHandleForWriting.close()
        let bytes = try #require(try pipe.fileHandleForReading.readToEnd())
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
        #expect(try lines.map { try Records.names($0, as: .json) } == [["a", "b"], ["c"]])
        #expect(bytes.last == UInt8(ascii: "\n"))
    }

    @Test("a cancelled task does not wait for a pipe that is not read", .timeLimit(.minutes(1)))
    func stalled() async throws {
        let pipe = Pipe()
        let exporter = StandardOutputExporter(
            ExporterSettings(kind: .standardOutput, name: "out"),
            handle: pipe.fileHandleForWriting)
        // More than a pipe holds.
        let large = String(repeating: "x", count: 1 << 20)
        let first = Task { await exporter.send(Records.logs([large])) }
        let second = Task { await exporter.send(Records.logs(["b"])) }
        try await Task.sleep(for: .milliseconds(50))
        first.cancel()
        second.cancel()
        let cancelled = ExportOutcome.retry(reason: "cancelled", after: nil)
        #expect(await first.value == cancelled)
        #expect(await second.value == cancelled)
        // The thread that writes the first line ends with it, and the second is not written.
        let length = try pipe.fileHandleForReading.bytes(through: UInt8(ascii: "\n"))
        #expect(length > 1 << 20)
        #expect(await exporter.send(Records.logs(["c"])) == taken)
        try pipe.fileHandleForWriting.close()
        let rest = try #require(try pipe.fileHandleForReading.readToEnd())
        #expect(try Records.names(Array(rest.dropLast()), as: .json) == ["c"])
    }
}

extension FileHandle {
    /// Reads up to and including a byte, and returns the number of bytes.
    fileprivate func bytes(through end: UInt8) throws -> Int {
        var count = 0
        while let piece = try read(upToCount: 1 << 16), !piece.isEmpty {
            count += piece.count
            if piece.last == end { break }
        }
        return count
    }
}

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
        // The first line is being written.
        let start = try #require(try pipe.fileHandleForReading.read(upToCount: 1))
        let second = Task { await exporter.send(Records.logs(["b"])) }
        first.cancel()
        second.cancel()
        let cancelled = ExportOutcome.retry(reason: "cancelled", after: nil)
        #expect(await first.value == cancelled)
        #expect(await second.value == cancelled)
        // The first line is written once it is read, and the second is not written.
        let reading = Task.detached { try pipe.fileHandleForReading.readToEnd() }
        #expect(await exporter.send(Records.logs(["c"])) == taken)
        try pipe.fileHandleForWriting.close()
        let rest = try #require(try await reading.value)
        let lines = (start + rest).split(separator: UInt8(ascii: "\n"))
        #expect(try lines.map { try Records.names(Array($0), as: .json) } == [[large], ["c"]])
    }
}

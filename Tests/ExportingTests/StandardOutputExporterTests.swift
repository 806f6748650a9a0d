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
}

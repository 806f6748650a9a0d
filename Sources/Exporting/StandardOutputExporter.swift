import Foundation
import Ingest
import Synchronization

/// Writes each batch to standard output as a line of OTLP's JSON mapping.
struct StandardOutputExporter: Exporter {
    let name: String
    let batchBytesLimit: Int
    private let output = StandardOutput()

    init(_ settings: ExporterSettings) {
        name = settings.name
        batchBytesLimit = settings.batchBytesLimit
    }

    func send(_ batch: ExportBatch) async -> ExportOutcome {
        await LineExport.outcome(of: batch) { try output.write($0) }
    }

    func run() async {}
}

/// Standard output, one line at a time.
final class StandardOutput: Sendable {
    private let handle = Mutex(FileHandle.standardOutput)

    func write(_ line: [UInt8]) throws {
        try handle.withLock { try $0.write(contentsOf: line) }
    }
}

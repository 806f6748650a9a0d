import Foundation
import Ingest
import Synchronization

/// Writes each batch to standard output as a line of OTLP's JSON mapping.
struct StandardOutputExporter: Exporter {
    let name: String
    let batchBytesLimit: Int
    private let output: LineOutput
    private let thread = WritingThread()

    init(_ settings: ExporterSettings, handle: FileHandle = .standardOutput) {
        name = settings.name
        batchBytesLimit = settings.batchBytesLimit
        output = LineOutput(handle)
    }

    func send(_ batch: ExportBatch) async -> ExportOutcome {
        await LineExport.outcome(of: batch, on: thread) { try output.write($0) }
    }

    func run() async {}
}

/// An open file or pipe, written one line at a time.
private final class LineOutput: Sendable {
    private let handle: Mutex<FileHandle>

    init(_ handle: FileHandle) { self.handle = Mutex(handle) }

    func write(_ line: [UInt8]) throws {
        try handle.withLock { try $0.write(contentsOf: line) }
    }
}

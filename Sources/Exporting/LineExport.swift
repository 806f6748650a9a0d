import ErrorDescriptions
import Ingest
import NIOPosix
import OTLP

/// What exporters that write lines have in common.
enum LineExport {
    /// Makes the line and writes it on a thread that may wait for the disk.
    static func outcome(
        of batch: ExportBatch, write: @escaping @Sendable ([UInt8]) throws -> Void
    ) async -> ExportOutcome {
        let line: [UInt8]
        do throws(OTLPError) { line = try JSONLine.bytes(batch) } catch {
            return .refused(reason: "\(error)", isForContent: true)
        }
        do {
            try await NIOThreadPool.singleton.runIfActive { try write(line) }
            return .taken(rejectedCount: 0, message: "")
        } catch {
            return .retry(reason: "\(ErrorDescription(error))", after: nil)
        }
    }
}

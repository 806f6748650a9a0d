import ErrorDescriptions
import Ingest
import NIOPosix
import OTLP

/// Exports a batch as a line.
enum LineExport {
    /// Encodes the line and writes it on a thread that may block.
    static func outcome(
        of batch: ExportBatch, write: @escaping @Sendable ([UInt8]) throws -> Void
    ) async -> ExportOutcome {
        let line: [UInt8]
        do throws(OTLPError) { line = try JSONLine.bytes(batch) } catch {
            return .refused(reason: "\(error)", isForContent: true)
        }
        do {
            try await NIOThreadPool.singleton.runIfActive { try write(line) }
            return .accepted(rejectedCount: 0, message: "")
        } catch {
            return .retry(reason: "\(ErrorDescription(error))", after: nil)
        }
    }
}

import ErrorDescriptions
import Ingest
import OTLP

/// Exports a batch as a line.
enum LineExport {
    /// Encodes the line and writes it on a thread that may block. A cancelled task does not wait for
    /// the thread.
    static func outcome(
        of batch: ExportBatch, on thread: WritingThread,
        write: @escaping @Sendable ([UInt8]) throws -> Void
    ) async -> ExportOutcome {
        let line: [UInt8]
        do throws(OTLPError) { line = try JSONLine.bytes(batch) } catch {
            return .refused(reason: "\(error)", isForContent: true)
        }
        do {
            try await thread.run { try write(line) }
            return .accepted(rejectedCount: 0, message: "")
        } catch is CancellationError {
            return .retry(reason: "cancelled", after: nil)
        } catch {
            return .retry(reason: "\(ErrorDescription(error))", after: nil)
        }
    }
}

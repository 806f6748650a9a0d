import Ingest
import OTLP

/// The response to an accepted request, in either protocol.
enum ExportResponse {
    /// The maximum number of bytes of a response that are read. Usually there are only a few.
    static let bytesLimit = 1 << 20
    /// The maximum number of characters of a receiver's message that are logged.
    static let textLimit = 300

    /// Returns the outcome with the number of rejected records. If the response cannot be read, the
    /// number is 0: the status says that the request was accepted, and sending it again would
    /// duplicate the records.
    static func outcome(
        of signal: Signal, bytes: [UInt8], as encoding: OTLPEncoding
    ) -> ExportOutcome {
        let partial: (count: Int64, message: String)
        do throws(OTLPError) {
            partial =
                switch signal {
                case .traces: try traces(bytes, encoding: encoding)
                case .metrics: try metrics(bytes, encoding: encoding)
                case .logs: try logs(bytes, encoding: encoding)
                }
        } catch { partial = (0, "") }
        return .accepted(rejectedCount: partial.count, message: text(partial.message))
    }

    /// Returns the message without control characters, so that it is one line of the log, and
    /// limited in length.
    static func text(_ message: String) -> String {
        String(message.prefix(textLimit).map { ($0.asciiValue ?? 0x20) < 0x20 ? " " : $0 })
    }

    private static func logs(
        _ bytes: [UInt8], encoding: OTLPEncoding
    ) throws(OTLPError) -> (Int64, String) {
        let partial = try ExportLogsServiceResponse(decoding: bytes, as: encoding).partialSuccess
        return (partial.rejectedLogRecords, partial.errorMessage)
    }

    private static func traces(
        _ bytes: [UInt8], encoding: OTLPEncoding
    ) throws(OTLPError) -> (Int64, String) {
        let partial = try ExportTraceServiceResponse(decoding: bytes, as: encoding).partialSuccess
        return (partial.rejectedSpans, partial.errorMessage)
    }

    private static func metrics(
        _ bytes: [UInt8], encoding: OTLPEncoding
    ) throws(OTLPError) -> (Int64, String) {
        let partial = try ExportMetricsServiceResponse(decoding: bytes, as: encoding).partialSuccess
        return (partial.rejectedDataPoints, partial.errorMessage)
    }
}

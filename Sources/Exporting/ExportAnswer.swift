import Ingest
import OTLP

/// What a receiver says of a request that it took, in either protocol.
enum ExportAnswer {
    /// The most bytes of an answer that are read. One without details has a few.
    static let bytesLimit = 1 << 20
    /// The most characters that are repeated of what a receiver says.
    static let textLimit = 300

    /// Counts what the receiver rejected. An answer that can't be read counts nothing: the status
    /// said that the request was taken, and to send it again would only repeat it.
    static func outcome(
        of signal: Signal, _ bytes: [UInt8], as encoding: OTLPEncoding
    ) -> ExportOutcome {
        let partial: (count: Int64, message: String)
        do throws(OTLPError) {
            partial =
                switch signal {
                case .traces: try traces(bytes, encoding)
                case .metrics: try metrics(bytes, encoding)
                case .logs, .metricKit, .revision: try logs(bytes, encoding)
                }
        } catch { partial = (0, "") }
        return .taken(rejectedCount: partial.count, message: text(partial.message))
    }

    /// Without control characters, so that it stays one line of the log, and not too long.
    static func text(_ message: String) -> String {
        String(message.prefix(textLimit).map { ($0.asciiValue ?? 0x20) < 0x20 ? " " : $0 })
    }

    private static func logs(
        _ bytes: [UInt8], _ encoding: OTLPEncoding
    ) throws(OTLPError) -> (Int64, String) {
        let partial = try ExportLogsServiceResponse(decoding: bytes, as: encoding).partialSuccess
        return (partial.rejectedLogRecords, partial.errorMessage)
    }

    private static func traces(
        _ bytes: [UInt8], _ encoding: OTLPEncoding
    ) throws(OTLPError) -> (Int64, String) {
        let partial = try ExportTraceServiceResponse(decoding: bytes, as: encoding).partialSuccess
        return (partial.rejectedSpans, partial.errorMessage)
    }

    private static func metrics(
        _ bytes: [UInt8], _ encoding: OTLPEncoding
    ) throws(OTLPError) -> (Int64, String) {
        let partial = try ExportMetricsServiceResponse(decoding: bytes, as: encoding).partialSuccess
        return (partial.rejectedDataPoints, partial.errorMessage)
    }
}

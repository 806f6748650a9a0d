import Ingest
import OTLP

/// A batch as one line of OTLP's JSON mapping.
enum JSONLine {
    static func bytes(_ batch: ExportBatch) throws(OTLPError) -> [UInt8] {
        var line =
            switch batch.signal {
            case .logs: try json(ExportLogsServiceRequest.self, body: batch.body)
            case .traces: try json(ExportTraceServiceRequest.self, body: batch.body)
            case .metrics: try json(ExportMetricsServiceRequest.self, body: batch.body)
            }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func json<Request: OTLPMessage>(
        _: Request.Type, body: [UInt8]
    ) throws(OTLPError) -> [UInt8] {
        try Request(decoding: body, as: .protobuf).encoded(as: .json)
    }
}

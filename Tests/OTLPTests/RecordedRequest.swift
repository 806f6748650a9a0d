import Foundation
import OTLP
import SwiftProtobuf
import TestSupport

/// A request that OpenTelemetry's SDK for Python made; `Requests/make` makes it again.
enum RecordedRequest: String, CaseIterable {
    case logs, trace, metrics

    var type: any OTLPMessage.Type {
        switch self {
        case .logs: ExportLogsServiceRequest.self
        case .trace: ExportTraceServiceRequest.self
        case .metrics: ExportMetricsServiceRequest.self
        }
    }

    func bytes(_ encoding: OTLPEncoding) throws -> [UInt8] {
        let name = "\(rawValue).\(encoding == .json ? "json" : "pb")"
        let folder = projectFolder.appendingPathComponent("Tests/OTLPTests/Requests")
        return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }
}

/// Reads and writes through `any OTLPMessage.Type`.
extension OTLPMessage {
    static func reencoded(
        _ bytes: [UInt8], from source: OTLPEncoding, to target: OTLPEncoding
    ) throws(OTLPError) -> [UInt8] {
        try Self(decoding: bytes, as: source).encoded(as: target)
    }
}

/// A logs request of one record, in JSON.
func logsRequest(record: String) -> [UInt8] {
    Array(#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(record)]}]}]}"#.utf8)
}

/// The record that a logs request of one record in JSON holds.
func logRecord(_ record: String) throws(OTLPError) -> LogRecord {
    let request = try ExportLogsServiceRequest(decoding: logsRequest(record: record), as: .json)
    return request.resourceLogs[0].scopeLogs[0].logRecords[0]
}

extension LogRecord {
    /// A logs request of this record alone.
    var request: ExportLogsServiceRequest {
        .with { $0.resourceLogs = [.with { $0.scopeLogs = [.with { $0.logRecords = [self] }] }] }
    }
}

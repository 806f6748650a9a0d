import Foundation
import OTLP
import SwiftProtobuf
import TestSupport
import Testing

/// A request made by OpenTelemetry's SDK for Python; `Requests/make` makes it again.
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

/// The record of a logs request with one record in JSON.
func logRecord(_ record: String) throws -> LogRecord {
    let request = try ExportLogsServiceRequest(decoding: logsRequest(record: record), as: .json)
    return try #require(request.resourceLogs.first?.scopeLogs.first?.logRecords.first)
}

extension LogRecord {
    /// A logs request with only this record.
    var request: ExportLogsServiceRequest {
        .with { $0.resourceLogs = [.with { $0.scopeLogs = [.with { $0.logRecords = [self] }] }] }
    }
}

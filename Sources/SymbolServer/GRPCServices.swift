import GRPCCore
import GRPCProtobuf
import Ingest
import OTLP

/// Takes export requests over gRPC; acknowledged like those over HTTP.
struct GRPCReception: Sendable {
    let reception: Reception

    func accept(_ signal: Signal, _ request: some OTLPMessage) async throws {
        let body = try request.encoded(as: .protobuf)
        guard !body.isEmpty else { return }
        do throws(ReceptionError) {
            try await reception.accept(signal, body)
        } catch {
            // Clients may only repeat what is said to be worth repeating, and when.
            throw GoogleRPCStatus(
                code: .unavailable, message: error.description,
                details: [.retryInfo(delay: .seconds(Reception.retryAfterSeconds))])
        }
    }
}

struct GRPCLogs: LogsService.SimpleServiceProtocol {
    let reception: GRPCReception

    func export(
        request: ExportLogsServiceRequest, context: ServerContext
    ) async throws -> ExportLogsServiceResponse {
        try await reception.accept(.logs, request)
        return ExportLogsServiceResponse()
    }
}

struct GRPCTraces: TraceService.SimpleServiceProtocol {
    let reception: GRPCReception

    func export(
        request: ExportTraceServiceRequest, context: ServerContext
    ) async throws -> ExportTraceServiceResponse {
        try await reception.accept(.traces, request)
        return ExportTraceServiceResponse()
    }
}

struct GRPCMetrics: MetricsService.SimpleServiceProtocol {
    let reception: GRPCReception

    func export(
        request: ExportMetricsServiceRequest, context: ServerContext
    ) async throws -> ExportMetricsServiceResponse {
        try await reception.accept(.metrics, request)
        return ExportMetricsServiceResponse()
    }
}

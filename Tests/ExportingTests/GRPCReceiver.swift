import GRPCCore
import GRPCNIOTransportHTTP2
import OTLP

/// A real gRPC server for OTLP with configurable responses.
struct GRPCReceiver: Sendable {
    struct Received: Sendable {
        var metadata: Metadata
        var logs: ExportLogsServiceRequest
    }

    let answer: @Sendable (Received) async throws -> ExportLogsServiceResponse

    /// Runs the server as long as `use` takes, which is given its port.
    static func run<Result: Sendable>(
        port: Int = 0,
        security: HTTP2ServerTransport.Posix.TransportSecurity = .plaintext,
        answer: @escaping @Sendable (Received) async throws -> ExportLogsServiceResponse,
        use: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> Result {
        let receiver = Self(answer: answer)
        let server = GRPCServer(
            transport: .http2NIOPosix(
                address: .ipv4(host: "127.0.0.1", port: port), transportSecurity: security,
                config: .defaults {
                    $0.rpc.maxRequestPayloadSize = 1 << 27
                    $0.compression.enabledAlgorithms = .all
                }),
            services: [receiver, TraceReceiver(), MetricsReceiver()])
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.serve() }
            guard let bound = try await server.listeningAddress?.ipv4?.port else {
                throw CancellationError()
            }
            let result = try await use(bound)
            // Cancelling would trap in NIO if a connection arrived at that moment.
            server.beginGracefulShutdown()
            try await group.waitForAll()
            return result
        }
    }
}

extension GRPCReceiver: LogsService.ServiceProtocol {
    func export(
        request: ServerRequest<ExportLogsServiceRequest>, context: ServerContext
    ) async throws -> ServerResponse<ExportLogsServiceResponse> {
        let received = Received(metadata: request.metadata, logs: request.message)
        return ServerResponse(message: try await answer(received))
    }
}

/// Rejects as many spans as it gets.
private struct TraceReceiver: TraceService.SimpleServiceProtocol {
    func export(
        request: ExportTraceServiceRequest, context: ServerContext
    ) async throws -> ExportTraceServiceResponse {
        var response = ExportTraceServiceResponse()
        let spans = request.resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans)
        response.partialSuccess.rejectedSpans = Int64(spans.count)
        return response
    }
}

/// Rejects as many metrics as it gets.
private struct MetricsReceiver: MetricsService.SimpleServiceProtocol {
    func export(
        request: ExportMetricsServiceRequest, context: ServerContext
    ) async throws -> ExportMetricsServiceResponse {
        var response = ExportMetricsServiceResponse()
        let metrics = request.resourceMetrics.flatMap(\.scopeMetrics).flatMap(\.metrics)
        response.partialSuccess.rejectedDataPoints = Int64(metrics.count)
        return response
    }
}

import GRPCCore
import GRPCProtobuf
import Ingest
import OTLP

/// The export services of OTLP over gRPC: requests are acknowledged when they are in the journal.
///
/// Messages are taken as bytes and read by the same rules as those of HTTP, so what is kept is what
/// was sent.
struct GRPCReception: RegistrableRPCService {
    let reception: Reception
    let tokens: Tokens
    /// In bytes.
    let bytesLimit: Int
    let room: BodyRoom

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        register(
            LogsService.Method.Export.descriptor, .logs, ExportLogsServiceRequest.self,
            ExportLogsServiceResponse(), in: &router)
        register(
            TraceService.Method.Export.descriptor, .traces, ExportTraceServiceRequest.self,
            ExportTraceServiceResponse(), in: &router)
        register(
            MetricsService.Method.Export.descriptor, .metrics, ExportMetricsServiceRequest.self,
            ExportMetricsServiceResponse(), in: &router)
    }

    private func register<Message: OTLPMessage, Answer: OTLPMessage, Transport: ServerTransport>(
        _ method: MethodDescriptor, _ signal: Signal, _: Message.Type, _ answer: Answer,
        in router: inout RPCRouter<Transport>
    ) {
        router.registerHandler(
            forMethod: method, deserializer: GRPCMessageReading(),
            serializer: ProtobufSerializer<Answer>()
        ) { request, _ in
            let sender = try tokens.sender(metadata: request.metadata)
            let message = try await ServerRequest(stream: request).message
            let body = try message.inflated(upTo: bytesLimit)
            // The message as it was sent has its room for as long as the call is open.
            let count = message.coding == nil ? 0 : body.count
            try room.take(count)
            defer { room.giveBack(count) }
            try await accept(signal, body, from: sender.app, as: Message.self)
            return StreamingServerResponse(single: ServerResponse(message: answer))
        }
    }

    private func accept<Message: OTLPMessage>(
        _ signal: Signal, _ body: [UInt8], from app: String?, as _: Message.Type
    ) async throws {
        guard !body.isEmpty else { return }
        do {
            _ = try Message(decoding: body, as: .protobuf)
            try await reception.accept(signal, body, from: app)
        } catch let error as OTLPError {
            throw RPCError(
                code: error.reason == .count ? .resourceExhausted : .invalidArgument,
                message: error.description)
        } catch let error as ReceptionError {
            // Clients may only repeat what is said to be worth repeating, and when.
            throw GoogleRPCStatus(
                code: .unavailable, message: error.description,
                details: [.retryInfo(delay: .seconds(Reception.retryAfterSeconds))])
        }
    }
}

import GRPCCore
import GRPCProtobuf
import Ingest
import Logging
import OTLP
import Problems

/// The OTLP export services over gRPC. A request is acknowledged once it is in the journal.
///
/// Messages are received as bytes and validated like HTTP bodies, so that exactly the received
/// bytes are stored.
struct GRPCOTLPReceiver: RegistrableRPCService {
    let gateway: IngestGateway
    let tokens: Tokens
    /// The maximum size of a message after decompression, in bytes.
    let messageLimit: Int
    let memory: RequestMemoryBudget
    let logger: Logger
    private let throttle = WarningThrottle()

    init(
        gateway: IngestGateway, tokens: Tokens, messageLimit: Int, memory: RequestMemoryBudget,
        logger: Logger
    ) {
        self.gateway = gateway
        self.tokens = tokens
        self.messageLimit = messageLimit
        self.memory = memory
        self.logger = logger
    }

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        register(
            LogsService.Method.Export.descriptor, signal: .logs, ExportLogsServiceRequest.self,
            reply: ExportLogsServiceResponse(), in: &router)
        register(
            TraceService.Method.Export.descriptor, signal: .traces, ExportTraceServiceRequest.self,
            reply: ExportTraceServiceResponse(), in: &router)
        register(
            MetricsService.Method.Export.descriptor, signal: .metrics,
            ExportMetricsServiceRequest.self,
            reply: ExportMetricsServiceResponse(), in: &router)
    }

    private func register<Message: OTLPMessage, Reply: OTLPMessage, Transport: ServerTransport>(
        _ method: MethodDescriptor, signal: Signal, _: Message.Type, reply: Reply,
        in router: inout RPCRouter<Transport>
    ) {
        router.registerHandler(
            forMethod: method, deserializer: GRPCMessageDeserializer(),
            serializer: ProtobufSerializer<Reply>()
        ) { request, _ in
            let caller = try tokens.caller(metadata: request.metadata)
            let message = try await ServerRequest(stream: request).message
            let body = try message.decompressed(limit: messageLimit)
            // The received message keeps its own share of the budget until the call ends.
            let count = message.coding == nil ? 0 : body.count
            try memory.reserve(count)
            defer { memory.release(count) }
            try await accept(signal, body: body, from: caller.app, as: Message.self)
            return StreamingServerResponse(single: ServerResponse(message: reply))
        }
    }

    private func accept<Message: OTLPMessage>(
        _ signal: Signal, body: [UInt8], from app: String?, as _: Message.Type
    ) async throws {
        guard !body.isEmpty else { return }
        do {
            try Message.check(protobuf: body)
            try await gateway.accept(signal, body, from: app)
        } catch let error as OTLPError {
            throw RPCError(
                code: error.reason == .count ? .resourceExhausted : .invalidArgument,
                message: error.description)
        } catch {
            let failure = RequestError(error)
            if throttle.allows(failure.cause, at: .now) { logger.warning("\(failure)") }
            throw failure
        }
    }
}

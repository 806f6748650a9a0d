import GRPCCore
import GRPCProtobuf
import OTLP

/// The gRPC health service, which orchestrators and load balancers call without a token.
///
/// https://github.com/grpc/grpc/blob/master/doc/health-checking.md
struct GRPCHealth: RegistrableRPCService {
    /// `HealthCheckResponse.ServingStatus`.
    enum Status: Int32 {
        case serving = 1
        case notServing = 2
        case serviceUnknown = 3
    }

    private let readiness: Readiness
    private let watchers = CallLimiter(limit: Self.watcherLimit)

    init(readiness: Readiness) { self.readiness = readiness }

    private static let service = ServiceDescriptor(fullyQualifiedService: "grpc.health.v1.Health")
    private static let check = MethodDescriptor(service: service, method: "Check")
    private static let watch = MethodDescriptor(service: service, method: "Watch")

    /// The paths of its methods.
    static let paths = Set([check, watch].map { "/\($0.fullyQualifiedMethod)" })

    /// The services with a health status. The empty name means the whole server.
    private static let names: Set<String> = [
        "", service.fullyQualifiedService, LogsService.descriptor.fullyQualifiedService,
        TraceService.descriptor.fullyQualifiedService,
        MetricsService.descriptor.fullyQualifiedService,
    ]

    /// The maximum number of concurrent watchers, which keep a call open indefinitely.
    static let watcherLimit = 100

    /// The interval at which the status is checked for watchers.
    private static let interval = Duration.seconds(1)

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        router.registerHandler(
            forMethod: Self.check, deserializer: GRPCMessageDeserializer(),
            serializer: ProtobufSerializer<HealthCheckResponse>()
        ) { request, _ in
            let name = try Self.name(in: await ServerRequest(stream: request).message)
            return StreamingServerResponse(
                single: ServerResponse(message: try await response(for: name)))
        }
        router.registerHandler(
            forMethod: Self.watch, deserializer: GRPCMessageDeserializer(),
            serializer: ProtobufSerializer<HealthCheckResponse>()
        ) { request, context in
            let name = try Self.name(in: await ServerRequest(stream: request).message)
            return StreamingServerResponse { writer in
                try await send(name, to: writer, until: context.cancellation)
                return [:]
            }
        }
    }

    private static func name(in message: GRPCMessage) throws -> String {
        let bytes = try message.decompressed(limit: GRPCCallLimits.healthMessageLimit)
        do {
            return try HealthCheckRequest(protobuf: bytes).service
        } catch {
            throw RPCError(
                code: .invalidArgument,
                message: "request: not a HealthCheckRequest: check the client")
        }
    }

    private func response(for name: String) async throws -> HealthCheckResponse {
        let status = await status(of: name)
        guard status != .serviceUnknown else {
            throw RPCError(code: .notFound, message: "service: '\(name)' is unknown")
        }
        return status.message
    }

    /// Sends the status whenever it changes, until the client cancels the call or the service
    /// stops.
    private func send(
        _ name: String, to writer: RPCWriter<HealthCheckResponse>,
        until cancellation: ServerContext.RPCCancellationHandle
    ) async throws {
        try watchers.acquire()
        defer { watchers.release() }
        var last: Status?
        while true {
            // Read this before the status, so that the last status reflects a shutdown that starts
            // in between. The library also cancels calls at shutdown.
            let isLast = readiness.isStopping || cancellation.isCancelled
            let status = await status(of: name)
            if status != last { try await writer.write(status.message) }
            last = status
            if isLast { return }
            try await Task.sleep(for: Self.interval)
        }
    }

    private func status(of name: String) async -> Status {
        guard Self.names.contains(name) else { return .serviceUnknown }
        return await readiness.isReady() ? .serving : .notServing
    }
}

extension GRPCHealth.Status {
    fileprivate var message: HealthCheckResponse { HealthCheckResponse(status: rawValue) }
}

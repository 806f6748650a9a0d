import GRPCCore
import GRPCProtobuf
import OTLP

/// The health service of gRPC, which orchestrators and load balancers ask without a token.
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
    private let watchers = OpenCalls(limit: Self.watcherLimit)

    init(readiness: Readiness) { self.readiness = readiness }

    private static let service = ServiceDescriptor(fullyQualifiedService: "grpc.health.v1.Health")
    private static let check = MethodDescriptor(service: service, method: "Check")
    private static let watch = MethodDescriptor(service: service, method: "Watch")

    /// The paths of its methods.
    static let paths = Set([check, watch].map { "/\($0.fullyQualifiedMethod)" })

    /// The services whose health can be asked for; the empty name is the whole of them.
    private static let names: Set<String> = [
        "", service.fullyQualifiedService, LogsService.descriptor.fullyQualifiedService,
        TraceService.descriptor.fullyQualifiedService,
        MetricsService.descriptor.fullyQualifiedService,
    ]

    /// How many clients may watch at one time: they hold a call for as long as they like.
    static let watcherLimit = 100

    /// How often the state is looked at for those who watch it.
    private static let interval = Duration.seconds(1)

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        router.registerHandler(
            forMethod: Self.check, deserializer: GRPCMessageReading(),
            serializer: ProtobufSerializer<HealthCheckResponse>()
        ) { request, _ in
            let name = try Self.name(in: await ServerRequest(stream: request).message)
            return StreamingServerResponse(
                single: ServerResponse(message: try await answer(to: name)))
        }
        router.registerHandler(
            forMethod: Self.watch, deserializer: GRPCMessageReading(),
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
        let bytes = try message.inflated(upTo: GRPCCallLimits.openBytesLimit)
        do {
            return try HealthCheckRequest(protobuf: bytes).service
        } catch {
            throw RPCError(
                code: .invalidArgument,
                message: "request: is not a HealthCheckRequest: check the client")
        }
    }

    private func answer(to name: String) async throws -> HealthCheckResponse {
        let status = await status(of: name)
        guard status != .serviceUnknown else {
            throw RPCError(code: .notFound, message: "service: '\(name)' is not served here")
        }
        return status.message
    }

    /// Sends the state whenever it has changed, until the client leaves or the service stops.
    private func send(
        _ name: String, to writer: RPCWriter<HealthCheckResponse>,
        until cancellation: ServerContext.RPCCancellationHandle
    ) async throws {
        try watchers.open()
        defer { watchers.close() }
        var last: Status?
        while true {
            // Asked for first, so that a stop between the two is in the last status. The library
            // cancels calls when the service stops, too.
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

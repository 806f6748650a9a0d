import GRPCCore
import GRPCNIOTransportHTTP2
import OTLP

/// A gRPC client that sends arbitrary bytes.
struct GRPCCaller: Sendable {
    let client: GRPCClient<HTTP2ClientTransport.Posix>

    /// The bytes of the response, or the error.
    typealias Outcome = Result<[UInt8], RPCError>

    func export(
        _ body: [UInt8], to method: MethodDescriptor = LogsService.Method.Export.descriptor,
        metadata: Metadata = [:], compression: CompressionAlgorithm = .none
    ) async throws -> Outcome {
        var options = CallOptions.defaults
        options.timeout = .seconds(600)
        options.compression = compression
        options.maxRequestMessageBytes = 1 << 30
        do {
            return .success(
                try await client.unary(
                    request: ClientRequest(message: body, metadata: metadata), descriptor: method,
                    serializer: RawMessage(), deserializer: RawMessage(), options: options
                ) { try $0.message })
        } catch let error as RPCError {
            return .failure(error)
        }
    }
}

extension RunningService {
    /// Connects a client while `use` runs.
    func withCaller(
        security: HTTP2ClientTransport.Posix.TransportSecurity = .plaintext,
        use: @escaping @Sendable (GRPCCaller) async throws -> Void
    ) async throws {
        let client = GRPCClient(
            transport: try HTTP2ClientTransport.Posix(
                target: .ipv4(address: "127.0.0.1", port: grpc), transportSecurity: security,
                config: .defaults { $0.compression.enabledAlgorithms = .all }))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await client.runConnections() }
            try await use(GRPCCaller(client: client))
            client.beginGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}

import GRPCCore

/// Lets calls through whose token has the scope `ingest`.
struct GRPCAuthorization: ServerInterceptor {
    let tokens: Tokens

    func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>, context: ServerContext,
        next:
            @Sendable (StreamingServerRequest<Input>, ServerContext) async throws
            -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        _ = try tokens.sender(metadata: request.metadata)
        return try await next(request, context)
    }
}

extension Tokens {
    /// Who makes a call with this metadata.
    ///
    /// - Throws: An `RPCError` if the token does not allow to send telemetry.
    func sender(metadata: Metadata) throws -> Caller {
        let header = metadata[stringValues: "authorization"].first { _ in true }
        do {
            return try caller(authorization: header, meeting: .ingest)
        } catch let error as RequestError {
            throw RPCError(code: RPCError.Code(error.status), message: error.description)
        }
    }
}

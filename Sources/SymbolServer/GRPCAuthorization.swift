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
        let header = request.metadata[stringValues: "authorization"].first { _ in true }
        do {
            _ = try tokens.caller(authorization: header, anyOf: [.ingest])
        } catch let error as RequestError {
            throw RPCError(code: RPCError.Code(error.status), message: error.description)
        }
        return try await next(request, context)
    }
}

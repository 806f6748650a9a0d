import GRPCCore

/// Lets calls through whose token has the scope `ingest`, or, where there are no tokens, that no web
/// page sent.
struct GRPCAuthorization: ServerInterceptor {
    let tokens: Tokens
    let audit: AuditLog

    func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>, context: ServerContext,
        next:
            @Sendable (StreamingServerRequest<Input>, ServerContext) async throws
            -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        do {
            if tokens.isEmpty { try RequestSource(request.metadata).checkSite() }
            _ = try tokens.caller(metadata: request.metadata)
        } catch let error as RequestError {
            audit.note(
                refusal: error.code, of: "gRPC \(context.descriptor.fullyQualifiedMethod)",
                to: AuditLog.Actor(
                    name: error.callerName ?? Tokens.unknownName,
                    address: Self.address(of: context.remotePeer)))
            throw RPCError(code: RPCError.Code(error.status), message: error.description)
        }
        return try await next(request, context)
    }

    /// Of `ipv4:127.0.0.1:49152` or `ipv6:[::1]:49152`.
    private static func address(of peer: String) -> String {
        let parts = peer.split(separator: ":", maxSplits: 1)
        return parts.last.flatMap { Authority($0) }?.host.text ?? peer
    }
}

extension RequestSource {
    fileprivate init(_ metadata: Metadata) {
        self.init(
            fetchSites: Array(metadata[stringValues: "sec-fetch-site"]),
            origins: Array(metadata[stringValues: "origin"]))
    }
}

extension Tokens {
    /// Who makes a call with this metadata.
    ///
    /// - Throws: An `RPCError` if the token does not allow to send telemetry.
    func sender(metadata: Metadata) throws -> Caller {
        do {
            return try caller(metadata: metadata)
        } catch let error as RequestError {
            throw RPCError(code: RPCError.Code(error.status), message: error.description)
        }
    }

    fileprivate func caller(metadata: Metadata) throws -> Caller {
        let header = metadata[stringValues: "authorization"].first { _ in true }
        return try caller(authorization: header, meeting: .ingest)
    }
}

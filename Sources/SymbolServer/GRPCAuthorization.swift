import GRPCCore

/// Lets calls through whose token has the scope `ingest`, or, where there are no tokens, that no web
/// page sent.
struct GRPCAuthorization: Sendable {
    let tokens: Tokens
    let audit: AuditLog

    /// Checks a call by its headers.
    ///
    /// - Parameter address: Of the client.
    func check(_ metadata: Metadata, path: String, from address: String) throws {
        do {
            if tokens.isEmpty { try RequestSource(metadata).checkSite() }
            _ = try tokens.caller(metadata: metadata)
        } catch let error as RequestError {
            audit.note(
                refusal: error.code, of: "gRPC \(path.drop { $0 == "/" })",
                to: AuditLog.Actor(name: error.callerName ?? Tokens.unknownName, address: address))
            throw error
        }
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

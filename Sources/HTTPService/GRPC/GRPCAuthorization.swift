import GRPCCore

/// Admits calls whose token has the scope `ingest`, or if there are no tokens, calls that do not
/// come from a web page.
struct GRPCAuthorization: Sendable {
    let tokens: Tokens
    let audit: AuditLog

    /// Checks a call by its headers.
    ///
    /// - Parameter address: The client's address.
    func check(_ metadata: Metadata, path: String, from address: String) throws {
        do {
            if tokens.isEmpty { try OriginHeaders(metadata).checkSameOrigin() }
            _ = try tokens.caller(metadata: metadata)
        } catch let error as RequestError {
            audit.log(
                refusal: error.code, of: "gRPC \(path.drop { $0 == "/" })",
                from: AuditLog.Actor(name: error.callerName ?? Tokens.unknownName, address: address)
            )
            throw error
        }
    }
}

extension OriginHeaders {
    fileprivate init(_ metadata: Metadata) {
        self.init(
            fetchSites: Array(metadata[stringValues: "sec-fetch-site"]),
            origins: Array(metadata[stringValues: "origin"]))
    }
}

extension Tokens {
    /// Returns the caller of a call with the given metadata.
    ///
    /// - Throws: A ``RequestError`` if the token does not allow sending telemetry.
    func caller(metadata: Metadata) throws -> Caller {
        let header = metadata[stringValues: "authorization"].first { _ in true }
        return try caller(authorization: header, meeting: .ingest)
    }
}

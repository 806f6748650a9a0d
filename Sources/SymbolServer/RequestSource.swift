import HTTPTypes

/// What a request's head says about the address it was sent to and the web page that sent it.
struct RequestSource: Sendable {
    /// Distinct values of `:authority` and `Host`.
    private let hosts: [String]
    private let fetchSites: [String]
    private let origins: [String]
    private let isReading: Bool

    init(_ head: HTTPRequest) {
        var hosts = head.headerFields.values(of: "host")
        if let authority = head.authority, !hosts.contains(authority) { hosts.append(authority) }
        self.hosts = hosts
        fetchSites = head.headerFields.values(of: "sec-fetch-site")
        origins = head.headerFields.values(of: "origin")
        isReading = head.method == .get || head.method == .head
    }

    /// A call of gRPC, which names its host where it is not seen.
    init(fetchSites: [String], origins: [String]) {
        hosts = []
        self.fetchSites = fetchSites
        self.origins = origins
        isReading = false
    }

    /// The one host that the request names.
    ///
    /// - Returns: `nil` if it names none, as clients of HTTP/1.0 do.
    /// - Throws: A ``RequestError`` of 400 if it names several, or none that can be one.
    func authority() throws -> Authority? {
        guard let host = hosts.first else { return nil }
        guard hosts.count == 1, let authority = Authority(host) else {
            throw RequestError.badRequest(
                "bad_host", "Host: is not one host with at most a port: send it once")
        }
        return authority
    }

    /// Refuses what only a web browser sends, and only for a page of another site.
    ///
    /// Browsers let a page send requests to anywhere, and only keep the answers from it. Programs that
    /// are no browsers send neither header.
    ///
    /// - Throws: A ``RequestError`` of 403.
    func checkSite(_ authority: Authority? = nil) throws {
        guard !isReading, !isSameSite(authority) else { return }
        throw RequestError(
            .forbidden, "foreign_page",
            "origin: a web page of another site sent this: use a page of the service, or a token")
    }

    private func isSameSite(_ authority: Authority?) -> Bool {
        if !fetchSites.isEmpty { return fetchSites == ["same-origin"] || fetchSites == ["none"] }
        guard let origin = origins.first else { return true }
        return origins.count == 1 && isOrigin(origin, of: authority)
    }

    private func isOrigin(_ origin: String, of authority: Authority?) -> Bool {
        for (scheme, port) in [("http://", 80), ("https://", 443)] where origin.hasPrefix(scheme) {
            guard let authority, let own = Authority(origin.dropFirst(scheme.count))
            else { return false }
            return own.isSame(as: authority, defaultPort: port)
        }
        return false
    }
}

extension HTTPFields {
    /// - Parameter name: In lower case.
    fileprivate func values(of name: String) -> [String] {
        filter { $0.name.canonicalName == name }.map(\.value)
    }
}

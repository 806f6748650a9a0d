import HTTPTypes
import Problems

/// The headers of a request that identify the addressed host and the web page that sent it.
struct OriginHeaders: Sendable {
    /// Distinct values of `:authority` and `Host`.
    private let hosts: [String]
    private let fetchSites: [String]
    private let origins: [String]
    private let isRead: Bool

    init(_ head: HTTPRequest) {
        var hosts = head.headerFields.values(of: "host")
        if let authority = head.authority, !hosts.contains(authority) { hosts.append(authority) }
        self.hosts = hosts
        fetchSites = head.headerFields.values(of: "sec-fetch-site")
        origins = head.headerFields.values(of: "origin")
        isRead = head.method == .get || head.method == .head
    }

    /// The headers of a gRPC call, whose library does not expose the host.
    init(fetchSites: [String], origins: [String]) {
        hosts = []
        self.fetchSites = fetchSites
        self.origins = origins
        isRead = false
    }

    /// Returns the host that the request names, or `nil` if it names none, as HTTP/1.0 clients do.
    ///
    /// - Throws: A ``RequestError`` of 400 if it names several hosts or an invalid one.
    func host() throws -> HostAndPort? {
        guard let text = hosts.first else { return nil }
        guard hosts.count == 1, let host = HostAndPort(text) else {
            throw RequestError.badRequest(
                "bad_host",
                Problem(
                    "Host", detail: "not a single host with an optional port",
                    suggestion: "send one Host header"))
        }
        return host
    }

    /// Rejects a request from a web page of another site. Only browsers send the headers that
    /// identify the page.
    ///
    /// Browsers let a page send requests to any site, and only withhold the responses. Other
    /// programs send neither header.
    ///
    /// - Throws: A ``RequestError`` of 403.
    func checkSameOrigin(as host: HostAndPort? = nil) throws {
        guard !isRead, !isSameOrigin(as: host) else { return }
        throw RequestError(
            .forbidden, "foreign_page",
            Problem(
                "origin", detail: "the request comes from a web page of another site",
                suggestion: "use a page of the service, or a token"))
    }

    /// Whether a page of one of these origins sent the request.
    func isFromPage(of allowed: Set<String>) -> Bool {
        origins.count == 1 && allowed.contains(origins[0].lowercased())
    }

    /// Whether neither header identifies a page, as in requests of command-line tools.
    var namesNoPage: Bool { fetchSites.isEmpty && origins.isEmpty }

    /// Rejects a request with a cookie unless a header proves that a page of the service sent it.
    ///
    /// Browsers add cookies automatically, and every browser sends one of the two headers.
    ///
    /// - Throws: A ``RequestError`` of 403.
    func checkSentBySite(_ host: HostAndPort?) throws {
        try checkSameOrigin(as: host)
        guard !isRead, namesNoPage else { return }
        throw RequestError(
            .forbidden, "foreign_page",
            Problem(
                "origin", detail: "the request does not say which page sent it",
                suggestion: "send it from a page of the service, or with a token"))
    }

    private func isSameOrigin(as host: HostAndPort?) -> Bool {
        if !fetchSites.isEmpty { return fetchSites == ["same-origin"] || fetchSites == ["none"] }
        guard let origin = origins.first else { return true }
        return origins.count == 1 && isOrigin(origin, of: host)
    }

    private func isOrigin(_ origin: String, of host: HostAndPort?) -> Bool {
        for (scheme, port) in [("http://", 80), ("https://", 443)] where origin.hasPrefix(scheme) {
            guard let host, let own = HostAndPort(origin.dropFirst(scheme.count))
            else { return false }
            return own.isSame(as: host, defaultPort: port)
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

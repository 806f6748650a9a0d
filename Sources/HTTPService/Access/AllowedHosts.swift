/// The `Host` names that clients without a token may use.
///
/// A web page can make its own host name resolve to an address of this machine (DNS rebinding), so
/// that the browser treats the service as part of the page's site. But the page cannot change the
/// name in `Host`.
struct AllowedHosts: Sendable {
    private let hosts: Set<HostName>
    private let hasWildcard: Bool

    /// - Parameters:
    ///   - listening: The HTTP listen address. A wildcard address also allows the address at which
    ///     a connection arrived.
    ///   - others: Names that proxies and other machines use for the service.
    init(listening: String, others: [String]) {
        hosts = Set(([listening] + others).compactMap { HostName($0) })
        hasWildcard = HostName(listening)?.isWildcard ?? false
    }

    /// - Parameter local: The local address of the connection.
    func contains(_ host: HostName, local: @autoclosure () -> HostName?) -> Bool {
        host.isLoopback || hosts.contains(host) || hasWildcard && host == local()
    }
}

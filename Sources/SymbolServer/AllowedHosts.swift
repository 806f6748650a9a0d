/// The hosts by which clients without a token may address the service.
///
/// A web page can have its own name resolve to an address of this machine, and then its browser takes
/// the service for a part of the page. What the page cannot change is the name in `Host`.
struct AllowedHosts: Sendable {
    private let hosts: Set<HostName>
    private let hasWildcard: Bool

    /// - Parameters:
    ///   - listening: The address that HTTP listens on. One that stands for all of this machine
    ///     allows the address at which a connection arrived.
    ///   - others: Names by which proxies and other machines know the service.
    init(listening: String, others: [String]) {
        hosts = Set(([listening] + others).compactMap { HostName($0) })
        hasWildcard = HostName(listening)?.isWildcard ?? false
    }

    /// - Parameter local: The address of this machine at which the connection arrived.
    func contains(_ host: HostName, local: HostName?) -> Bool {
        host.isLoopback || hosts.contains(host) || hasWildcard && host == local
    }
}

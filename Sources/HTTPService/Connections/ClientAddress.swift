/// The part of a peer's address that a client cannot choose freely: an IPv4 address, or the /64
/// network of an IPv6 address, because a client usually owns the whole network.
struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    let description: String

    /// - Parameter address: An address in the form of `inet_ntop`.
    init(_ address: String) {
        let host = HostName(address)?.text ?? address
        description = host.contains(":") ? Self.network(of: host) : host
    }

    /// Returns the first 64 bits (RFC 4291, section 2.5.1): `2001:db8:0:0::/64` for `2001:db8::1`.
    private static func network(of address: String) -> String {
        guard address != "::1" else { return address }
        let halves = address.split(separator: "::", omittingEmptySubsequences: false).map { half in
            half.split(separator: ":").map(String.init)
        }
        let (front, back) = (halves[0], halves.count > 1 ? halves[1] : [])
        let zeros = [String](repeating: "0", count: max(8 - front.count - back.count, 0))
        return (front + zeros + back).prefix(4).joined(separator: ":") + "::/64"
    }
}

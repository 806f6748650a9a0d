import Glibc

/// The normalised host of a `Host` header, an `:authority` or an `Origin`: lower case, no trailing
/// dot, IPv6 addresses without brackets in their shortest form, and IPv4-mapped IPv6 addresses as
/// IPv4.
struct HostName: Hashable, Sendable {
    let text: String

    /// The limit of RFC 1035, section 2.3.4.
    private static let lengthLimit = 253

    /// - Parameter host: A name or an address, without a port; IPv6 with or without brackets.
    init?(_ host: some StringProtocol) {
        let lower = host.lowercased()
        if lower.contains(":") || lower.hasPrefix("[") {
            guard let address = Self.address6(of: lower) else { return nil }
            text = address
        } else {
            let name = lower.hasSuffix(".") ? lower.dropLast() : lower[...]
            guard name.utf8.count <= Self.lengthLimit, Self.hasOnlyLabels(name) else { return nil }
            text = String(name)
        }
    }

    /// Whether it always refers to this machine.
    ///
    /// Other spellings of loopback addresses (`127.1`, `0x7f000001`) count as names: browsers never
    /// send them, and resolvers disagree about them.
    var isLoopback: Bool {
        if text == "localhost" || text == "::1" { return true }
        var address = in_addr()
        guard unsafe inet_pton(AF_INET, text, &address) == 1 else { return false }
        return UInt32(bigEndian: address.s_addr) >> 24 == 127
    }

    /// Whether it means every address of this machine.
    var isWildcard: Bool { text == "0.0.0.0" || text == "::" }

    /// Whether a name consists of labels, none of them empty, with dots between them.
    private static func hasOnlyLabels(_ name: Substring) -> Bool {
        var isAfterLabel = false
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                isAfterLabel = true
            case UInt8(ascii: ".") where isAfterLabel: isAfterLabel = false
            default: return false
            }
        }
        return isAfterLabel
    }

    private static func address6(of text: String) -> String? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let digits = isBracketed ? String(text.dropFirst().dropLast()) : text
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, digits, &address) == 1 else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil
        else { return nil }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let shortest = String(decoding: bytes, as: UTF8.self)
        let mapped = "::ffff:"
        return shortest.hasPrefix(mapped) && shortest.contains(".")
            ? String(shortest.dropFirst(mapped.count)) : shortest
    }
}

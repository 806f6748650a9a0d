import Glibc
import NIOCore

extension ServerSettings {
    /// Binds both addresses without listening on them, so that a port in use is reported before the
    /// service processes anything.
    ///
    /// - Throws: ``ListenError``, also if an address is not one of this machine, or its port is
    ///   reserved.
    public func checkAddresses(withGRPC hasGRPC: Bool) throws(ListenError) {
        try Self.check(http, of: "http")
        if hasGRPC { try Self.check(grpc, of: "grpc") }
    }

    private static func check(_ address: Address, of listener: String) throws(ListenError) {
        do {
            try bind(
                try SocketAddress.makeAddressResolvingHost(address.host, port: address.port))
        } catch { throw ListenError(listener: listener, address, error) }
    }

    private static func bind(_ address: SocketAddress) throws {
        let socket = socket(address.protocol.rawValue, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        defer { close(socket) }
        // As the listeners do: connections of an earlier process may still be closing.
        var reuse: Int32 = 1
        unsafe setsockopt(
            socket, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        let result = unsafe address.withSockAddr { unsafe Glibc.bind(socket, $0, socklen_t($1)) }
        guard result == 0 else { throw IOError(errnoCode: errno, reason: "bind") }
    }
}

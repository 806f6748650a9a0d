import Glibc

/// Returns a TCP port on which no program listened a moment ago.
func freePort() -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            _ = unsafe bind(descriptor, address, size)
            _ = unsafe getsockname(descriptor, address, &size)
        }
    }
    return Int(UInt16(bigEndian: address.sin_port))
}

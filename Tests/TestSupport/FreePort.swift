import Glibc
import Synchronization

private let given = Mutex<Set<Int>>([])

/// Returns a free port below the system's ephemeral ports, each once.
public func freePort() throws -> Int {
    for _ in 0..<1_000 {
        let port = Int.random(in: 20_000..<32_000)
        let isNew = given.withLock { $0.insert(port).inserted }
        if isNew, isFree(port) { return port }
    }
    throw NoFreePort()
}

private struct NoFreePort: Error {}

private func isFree(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}

import Glibc

/// The maximum number of open files and connections of the process.
///
/// Shells often set a limit of 1,024, which a process may raise. At the limit, a listener cannot
/// accept connections.
struct FileDescriptorLimit {
    /// The number of descriptors reserved for everything except connections to the service.
    private static let others = 512
    /// The number of descriptors per connection: its socket, and the file of an upload.
    private static let perConnection = 2
    /// The maximum that is requested. Kernels allow far more, but some programs iterate over all
    /// possible descriptors.
    private static let most: rlim_t = 1 << 20

    let count: Int

    /// Raises the limit as far as the system permits.
    static func raised() -> Self {
        var limits = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limits) == 0 else { return Self(count: 1_024) }
        var wanted = limits
        wanted.rlim_cur = max(limits.rlim_cur, min(limits.rlim_max, most))
        if unsafe setrlimit(resource, &wanted) == 0 { limits = wanted }
        return Self(count: Int(clamping: limits.rlim_cur))
    }

    /// The number of connections that each of two listeners can have.
    var connectionCount: Int { max((count - Self.others) / (2 * Self.perConnection), 16) }
}

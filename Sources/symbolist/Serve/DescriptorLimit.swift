import Glibc

/// How many files and connections the process may have open.
///
/// The limit that a shell sets is often 1,024 and may be raised by the process itself. A listener that
/// reaches it cannot accept connections any more.
struct DescriptorLimit {
    /// What the service needs besides connections to itself.
    private static let others = 512
    /// A connection may have an upload's file open.
    private static let perConnection = 2
    /// Kernels offer far more, and some programs go through all that there are.
    private static let most: rlim_t = 1 << 20

    let count: Int

    /// Raises the limit as far as the system lets it.
    static func raised() -> Self {
        var limits = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limits) == 0 else { return Self(count: 1_024) }
        var wanted = limits
        wanted.rlim_cur = max(limits.rlim_cur, min(limits.rlim_max, most))
        if unsafe setrlimit(resource, &wanted) == 0 { limits = wanted }
        return Self(count: Int(clamping: limits.rlim_cur))
    }

    /// The connections of each of two listeners for which there is room.
    var connectionCount: Int { max((count - Self.others) / (2 * Self.perConnection), 16) }
}

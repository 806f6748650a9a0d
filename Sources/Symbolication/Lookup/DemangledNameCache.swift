import CallStacks
import Synchronization

/// A cache of demangled names, shared by all diagnostics, because those of a build have the same
/// names.
final class DemangledNameCache: Sendable {
    private let names: Mutex<AgingCache<String, FunctionName>>

    init(bytesLimit: Int = 16 << 20) { names = Mutex(AgingCache(bytesLimit: bytesLimit)) }

    /// Returns the cached demangled name of each linkage name, or `nil`.
    func names(of linkageNames: [String]) -> [FunctionName?] {
        names.withLock { names in
            linkageNames.map { names.value(for: $0, byteCount: \.byteCount) }
        }
    }

    /// Adds names. A name that still looks mangled is not cached, because it may demangle when the
    /// machine is less busy.
    func add(_ new: [FunctionName]) {
        names.withLock { names in
            for name in new where !name.looksMangled {
                names.add(name, for: name.linkageName, byteCount: name.byteCount)
            }
        }
    }
}

extension FunctionName {
    /// Whether the demangled text starts like a linkage name.
    var looksMangled: Bool { shown.hasPrefix("_") || shown.hasPrefix("$") }

    var byteCount: Int { linkageName.utf8.count + shown.utf8.count }
}

import CallStacks
import Synchronization

/// A cache of demangled names, shared by all diagnostics, because those of a build have the same
/// names.
///
/// Its size is bounded in bytes. A name is evicted if it is not used while half of the bound fills
/// with other names.
final class DemangledNameCache: Sendable {
    private struct State {
        var recent: [String: FunctionName] = [:]
        /// The previous ``recent``.
        var earlier: [String: FunctionName] = [:]
        /// The bytes of ``recent``.
        var byteCount = 0
    }

    private let state = Mutex(State())
    private let bytesLimit: Int

    /// The approximate overhead of an entry, in bytes.
    private static let entryBytes = 96

    init(bytesLimit: Int = 16 << 20) { self.bytesLimit = bytesLimit }

    /// Returns the cached demangled name of each linkage name, or `nil`.
    func names(of linkageNames: [String]) -> [FunctionName?] {
        state.withLock { state in
            linkageNames.map { linkageName in
                if let name = state.recent[linkageName] { return name }
                let name = state.earlier[linkageName]
                if let name { add(name, to: &state) }
                return name
            }
        }
    }

    /// Adds names. A name that still looks mangled is not cached, because it may demangle when the
    /// machine is less busy.
    func add(_ names: [FunctionName]) {
        state.withLock { state in
            for name in names where !name.looksMangled { add(name, to: &state) }
        }
    }

    private func add(_ name: FunctionName, to state: inout State) {
        let byteCount = name.linkageName.utf8.count + name.shown.utf8.count + Self.entryBytes
        if state.byteCount + byteCount > bytesLimit / 2 {
            state.earlier = state.recent
            state.recent = [:]
            state.byteCount = 0
        }
        guard byteCount <= bytesLimit / 2,
            state.recent.updateValue(name, forKey: name.linkageName) == nil
        else { return }
        state.byteCount += byteCount
    }
}

extension FunctionName {
    /// Whether the demangled text starts like a linkage name.
    fileprivate var looksMangled: Bool { shown.hasPrefix("_") || shown.hasPrefix("$") }
}

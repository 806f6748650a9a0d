import CallStacks
import Synchronization

/// Names that were demangled before, for all diagnostics to come: those of one build repeat them.
///
/// Bounded by bytes. What was not asked for while half of that came in anew is forgotten.
final class KnownNames: Sendable {
    private struct State {
        var recent: [String: FunctionName] = [:]
        /// Those that were recent before.
        var earlier: [String: FunctionName] = [:]
        /// Of ``recent``.
        var byteCount = 0
    }

    private let state = Mutex(State())
    private let bytesLimit: Int

    /// What an entry takes beside its texts, about.
    private static let entryBytes = 96

    init(bytesLimit: Int = 16 << 20) { self.bytesLimit = bytesLimit }

    /// What is known of each of some names.
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

    /// Remembers names. One that still looks mangled is left out: perhaps it was a busy machine that
    /// left it so.
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
    /// Whether what is shown begins as linkage names do.
    fileprivate var looksMangled: Bool { shown.hasPrefix("_") || shown.hasPrefix("$") }
}

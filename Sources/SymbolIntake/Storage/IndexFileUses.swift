import SymbolStores
import Synchronization

/// The sizes of the local index files in order of their use, for nodes that keep copies of shared
/// indexes up to a limit.
final class IndexFileUses: Sendable {
    private struct File {
        var byteCount: Int64
        var lastUse: UInt64
    }

    private struct State {
        var files: [String: File] = [:]
        /// A counter of uses, which orders them.
        var clock: UInt64 = 0
        var bytes: Int64 = 0
    }

    private let state = Mutex(State())
    private let bytesLimit: Int64

    init(bytesLimit: Int64) { self.bytesLimit = bytesLimit }

    /// The size of all files, in bytes.
    var bytes: Int64 { state.withLock { $0.bytes } }

    var isExceeded: Bool { state.withLock { $0.bytes > bytesLimit && $0.files.count > 1 } }

    /// Adds the files that an earlier process left, in the order in which they were written.
    func add(filesIn folder: String, _ names: [String]) {
        let files = names.compactMap { name in
            (try? FileStatus(of: "\(folder)/\(name)")).map { (name, $0.size, $0.modifiedSeconds) }
        }
        for (name, size, _) in files.sorted(by: { $0.2 < $1.2 }) { add(name, byteCount: size) }
    }

    /// Adds a file, or one that replaces another, as the last used one.
    func add(_ name: String, byteCount: Int64) {
        state.withLock { state in
            state.clock += 1
            let old = state.files.updateValue(
                File(byteCount: byteCount, lastUse: state.clock), forKey: name)
            state.bytes += byteCount - (old?.byteCount ?? 0)
        }
    }

    func recordUse(of name: String) {
        state.withLock { state in
            state.clock += 1
            state.files[name]?.lastUse = state.clock
        }
    }

    func remove(_ name: String) {
        state.withLock { state in
            state.bytes -= state.files.removeValue(forKey: name)?.byteCount ?? 0
        }
    }

    /// Removes the least recently used files beyond the limit, and an eighth more to make room for
    /// new ones. The last used one is kept, whatever its size.
    ///
    /// - Returns: Their names.
    func removeExcess() -> [String] {
        state.withLock { state in
            guard state.bytes > bytesLimit else { return [] }
            let target = bytesLimit - bytesLimit / 8
            var removed: [String] = []
            let files = state.files.sorted { $0.value.lastUse < $1.value.lastUse }
            for (name, file) in files.dropLast() where state.bytes > target {
                state.files[name] = nil
                state.bytes -= file.byteCount
                removed.append(name)
            }
            return removed
        }
    }
}

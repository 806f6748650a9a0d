import CallStacks
import SymbolIndexes
import Synchronization

/// A cache of the demangled names and the files of open indexes, by their numbers there.
///
/// Most diagnostics of a build have the same functions. Finding a number is much faster than reading
/// a name from the index and finding it by its text.
final class IndexedTextCache: Sendable {
    /// The number of a name or a file in an open index.
    struct Key: Hashable {
        let index: UInt64
        let number: UInt32

        init(_ name: IndexedName, in index: SymbolIndex) {
            self.index = index.identity
            number = name.rawValue
        }

        init(_ file: IndexedFile, in index: SymbolIndex) {
            self.index = index.identity
            number = file.rawValue
        }
    }

    private let names: Mutex<AgingCache<Key, FunctionName>>
    private let files: Mutex<AgingCache<Key, SourceFile>>

    init(bytesLimit: Int = 8 << 20) {
        names = Mutex(AgingCache(bytesLimit: bytesLimit))
        files = Mutex(AgingCache(bytesLimit: bytesLimit / 4))
    }

    func name(at key: Key) -> FunctionName? {
        names.withLock { $0.value(for: key, byteCount: \.byteCount) }
    }

    /// Adds names, except those that ``DemangledNameCache/add(_:)`` does not add either.
    func add(_ new: [(key: Key, name: FunctionName)]) {
        names.withLock { names in
            for (key, name) in new where !name.looksMangled {
                names.add(name, for: key, byteCount: name.byteCount)
            }
        }
    }

    func file(at key: Key) -> SourceFile? {
        files.withLock { $0.value(for: key, byteCount: \.byteCount) }
    }

    func add(_ file: SourceFile, at key: Key) {
        files.withLock { $0.add(file, for: key, byteCount: file.byteCount) }
    }
}

extension SourceFile {
    fileprivate var byteCount: Int { folder.utf8.count + name.utf8.count }
}

import ByteReading
import Metrics
import Synchronization

extension StoredSymbolIndexes {
    /// The size of all open indexes, in bytes.
    public var mappedBytes: Int64 { state.withLock { $0.cache.bytes } }

    /// The number of open indexes.
    public var openCount: Int { state.withLock { $0.cache.openCount } }

    /// The files of all open indexes, least recently used first.
    var openFilesInOrderOfUse: [DebugFileKey] { state.withLock { $0.cache.filesInOrderOfUse() } }

    /// Closes indexes whose local files were removed.
    func close(_ files: [DebugFileKey]) {
        state.withLock { state in for file in files { state.cache.close(file) } }
    }

    /// Records a use of a file other than a lookup in its index.
    func recordUse(of file: DebugFileKey) { state.withLock { $0.cache.recordUse(of: file) } }

    /// Records in the catalogue which files were used since the last call.
    func recordUses() async throws(StorageError) {
        var (used, supplements) = state.withLock { state in
            let used = state.cache.takeUsed()
            return (used, state.listings.supplements(of: used))
        }
        if !supplements.isEmpty {
            let files = try await storage.catalogue.debugFiles(of: Array(supplements))
            used.formUnion(files.map(\.key))
        }
        if !used.isEmpty { try await storage.catalogue.markUsed(used, at: storage.now) }
    }

    /// Releases pages of the least recently used indexes to the system, until the resident mapped
    /// files are within the limit. Pages needed again are usually still in the system's cache.
    func releasePages() {
        guard ResidentMemory.ofFiles > storage.settings.residentBytes else { return }
        let all = state.withLock { $0.cache.bytesInOrderOfUse() }
        for (number, bytes) in all.enumerated() {
            bytes.release(0..<bytes.count)
            // Measuring takes longer than releasing.
            if number % 64 == 63, ResidentMemory.ofFiles <= storage.settings.residentBytes {
                return
            }
        }
    }

    func report() {
        Gauge(label: "symbolist_mapped_index_bytes").record(mappedBytes)
        Gauge(label: "symbolist_mapped_indexes").record(openCount)
    }
}

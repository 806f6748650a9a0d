import SymbolStores

/// The contents of a data folder other than its database, for moving them to a bucket.
extension DataFolders {
    /// The format of ``indexPath(of:)``.
    public static var indexFormat: Int { IndexFiles.format }

    /// Returns the path of a debug file's index, or `nil` unless this version of the program built it
    /// from exactly this file.
    public func indexPath(of file: StoredDebugFile) -> String? {
        let files = IndexFiles(folder: indexes)
        return files.index(of: file).map { _ in files.path(of: file.key) }
    }

    /// Copies the symbol maps of the folder that are not stored yet to the store that all nodes
    /// share.
    ///
    /// - Returns: The number of all symbol maps.
    public func shareSymbolMaps(in store: any SharedFileStore) async throws(StorageError) -> Int {
        var count = 0
        for name in (try? folderEntries(of: symbolMaps)) ?? []
        where ChunkSender(folderName: name) != nil {
            let maps = SymbolMapFolder(path: "\(symbolMaps)/\(name)")
            let prefix = SymbolMapStore.sharedPrefix(of: maps)
            let stored = Set(try await store.files(under: prefix).map(\.name))
            for part in maps.parts {
                count += 1
                let shared = prefix + part.fileName
                guard !stored.contains(shared) else { continue }
                try await store.keep(
                    fileAt: maps.location(of: part), as: shared,
                    for: .seconds(SymbolMapStore.unusedSeconds))
            }
        }
        return count
    }
}

public import SymbolIntake

extension Catalogue {
    /// Adds a debug file unless its owner has one that is as good.
    @discardableResult
    public func add(_ file: StoredDebugFile) async throws(StorageError) -> CatalogueChange {
        try await add(file, replaces: false)
    }
}

public import CallStacks

/// Removes stored debug files with all that was made of them.
public struct SymbolRemoval: Sendable {
    private let storage: SymbolStorage
    private let symbols: StoredSymbols

    public init(_ storage: SymbolStorage, _ symbols: StoredSymbols) {
        self.storage = storage
        self.symbols = symbols
    }

    /// Removes the debug files of an identity.
    ///
    /// - Parameter owner: The only owner whose files are removed, or `nil` for all owners.
    /// - Returns: What was removed; nothing where none is stored.
    public func remove(
        _ image: ImageID, of owner: SymbolOwner? = nil
    ) async throws(IntakeError) -> [StoredDebugFile] {
        try await removing { try await storage.catalogue.remove(image, of: owner) } ?? []
    }

    /// Removes one debug file of one owner.
    ///
    /// - Returns: Whether it was stored.
    func remove(_ file: StoredDebugFile) async throws(IntakeError) -> Bool {
        try await removing { try await storage.catalogue.remove(file) ? [file] : nil } != nil
    }

    /// Forgets a build and removes the debug files of its app that no other build of the app has.
    ///
    /// - Returns: The files removed; `nil` where there is no such build.
    public func remove(_ build: Build) async throws(IntakeError) -> [StoredDebugFile]? {
        let removed = try await removing { try await storage.catalogue.remove(build) }
        do { try await symbols.readImagesOfBuilds() } catch { throw IntakeError(error) }
        return removed
    }

    /// Rows go first: an index or a blob that is left behind is an orphan and is swept, while a row
    /// without them would promise what is not there.
    private func removing(
        _ body: @Sendable () async throws -> [StoredDebugFile]?
    ) async throws(IntakeError) -> [StoredDebugFile]? {
        do {
            return try await storage.changes.run {
                let removed = try await body()
                for file in removed ?? [] { symbols.invalidate(file.image) }
                try await storage.removeRemains(of: removed ?? [])
                return removed
            }
        } catch { throw IntakeError(error) }
    }
}

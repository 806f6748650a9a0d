public import CallStacks
import TaskCoordination

/// Removes stored debug files with their blobs and indexes.
public struct SymbolRemoval: Sendable {
    private let storage: SymbolStorage
    private let symbols: StoredSymbolIndexes

    public init(_ storage: SymbolStorage, symbols: StoredSymbolIndexes) {
        self.storage = storage
        self.symbols = symbols
    }

    /// Removes the debug files of an identity.
    ///
    /// - Parameter owner: The only owner whose files are removed, or `nil` for all owners.
    /// - Returns: The removed files; empty if none is stored.
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

    /// Removes a build, and the debug files of its app that belong to no other build of the app.
    ///
    /// - Returns: The removed files, or `nil` if the build is unknown.
    public func remove(_ build: Build) async throws(IntakeError) -> [StoredDebugFile]? {
        let removed = try await removing { try await storage.catalogue.remove(build) }
        do { try await symbols.readAppImages() } catch { throw IntakeError(error) }
        return removed
    }

    /// Removes a system, and the system images that belong to no other one.
    ///
    /// - Parameter build: The system's build, such as `22B83`.
    /// - Returns: The removed files, or `nil` if no image of the system is stored.
    public func removeSystem(
        build: String
    ) async throws(IntakeError) -> [StoredDebugFile]? {
        try await removing { try await storage.catalogue.removeSystem(build: build) }
    }

    /// Removes rows before files: an index or a blob without a row is removed later as an orphan,
    /// but a row without its files would refer to missing ones.
    private func removing(
        _ body: @Sendable () async throws -> [StoredDebugFile]?
    ) async throws(IntakeError) -> [StoredDebugFile]? {
        do {
            return try await storage.changes.run {
                guard let removed = try await body() else { return nil }
                try await symbols.reflectChanges(of: removed.map(\.image))
                try await storage.removeRemains(of: removed)
                return removed
            }
        } catch { throw IntakeError(error) }
    }
}

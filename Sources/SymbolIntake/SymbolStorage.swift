import CallStacks
import Logging

/// Where uploaded debug files are kept, for everything that works with them.
public struct SymbolStorage: Sendable {
    public let folders: DataFolders
    public let settings: IntakeSettings
    let catalogue: any Catalogue
    let blobs: any BlobStore
    let indexes: IndexFiles
    let children: IntakeChildren
    let space: FreeSpace
    /// What adds or removes debug files does so one at a time, so that no blob is taken for an
    /// orphan between its own arrival and that of its row.
    let changes = Turns(1)
    /// Uploads that are unpacked and read; others wait as they were received.
    let intakes: Turns

    var logger: Logger { settings.logger }

    public init(settings: IntakeSettings, catalogue: any Catalogue, blobs: any BlobStore) {
        self.settings = settings
        self.catalogue = catalogue
        self.blobs = blobs
        folders = DataFolders(path: settings.data)
        indexes = IndexFiles(folder: folders.indexes)
        intakes = Turns(settings.childCount)
        space = FreeSpace(Disk(folder: settings.data), leastBytes: settings.leastFreeBytes)
        children = IntakeChildren(
            executable: settings.executable, limits: settings.limits, count: settings.childCount,
            space: space)
    }

    /// Makes the folders and removes what an earlier run left half done. Before anything else, and
    /// by one process alone.
    public func prepare() throws(IntakeError) {
        do { try folders.prepare() } catch { throw IntakeError(error) }
    }
}

extension SymbolStorage {
    /// Removes what belonged to rows that are gone: indexes and blobs that no other row needs, such
    /// as that of another owner. To be called within ``changes``.
    func removeRemains(of files: [StoredDebugFile]) async throws {
        for file in Set(files.map(\.key)) {
            let stored = try await catalogue.debugFiles(of: file.image)
            if !stored.contains(where: { $0.key == file }) { try indexes.remove(file) }
        }
        for blob in Set(files.map(\.blob)) where try await !catalogue.isWanted(blob: blob) {
            try await blobs.remove(blob)
        }
    }
}

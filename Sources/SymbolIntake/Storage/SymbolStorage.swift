import CallStacks
import Logging
import TaskCoordination

/// The storage of uploaded debug files.
public struct SymbolStorage: Sendable {
    public let folders: DataFolders
    public let settings: IntakeSettings
    let catalogue: any Catalogue
    let blobs: any BlobStore
    let indexes: IndexFiles
    /// The indexes that several nodes share, or `nil` for a service of one process.
    let sharedIndexes: (any IndexStore)?
    /// The symbol maps and chunks that several nodes share, or `nil` for a service of one process.
    let sharedFiles: (any SharedFileStore)?
    let workers: UploadWorkerPool
    let space: FreeSpace
    let chunks: ChunkStore
    let assembled: AssembledFiles
    let symbolMaps: SymbolMapStore
    /// Serialises changes of the stored files, so that no blob is removed as an orphan before its
    /// row is written.
    let changes = TaskSemaphore(count: 1)
    /// Limits the number of uploads that are unpacked and read at the same time; others wait on
    /// disk.
    let intakes: TaskSemaphore
    let arrivingImages = ArrivingImages()

    var logger: Logger { settings.logger }
    /// The time for uploads and uses. All nodes of a cluster share it.
    var now: UnixTime { settings.now() }

    /// - Parameters:
    ///   - sharedIndexes: The indexes that several nodes share, or `nil` for a service of one process.
    ///   - sharedFiles: The symbol maps and chunks that several nodes share, or `nil`.
    public init(
        settings: IntakeSettings, catalogue: any Catalogue, blobs: any BlobStore,
        sharedIndexes: (any IndexStore)? = nil, sharedFiles: (any SharedFileStore)? = nil
    ) {
        self.settings = settings
        self.catalogue = catalogue
        self.blobs = blobs
        self.sharedIndexes = sharedIndexes
        self.sharedFiles = sharedFiles
        folders = DataFolders(path: settings.data)
        indexes = IndexFiles(folder: folders.indexes, bytesLimit: settings.cacheBytes)
        intakes = TaskSemaphore(count: settings.workerCount)
        space = FreeSpace(Disk(folder: settings.data), leastBytes: settings.leastFreeBytes)
        chunks = ChunkStore(folders: folders, space: space, shared: sharedFiles)
        assembled = AssembledFiles(folder: folders.assembled)
        symbolMaps = SymbolMapStore(
            folders: folders, shared: sharedFiles, now: settings.now)
        workers = UploadWorkerPool(
            executable: settings.executable, limits: settings.limits, count: settings.workerCount,
            space: space)
    }

    /// Creates the folders and removes unfinished uploads. Call this first, from only one process.
    public func prepare() throws(IntakeError) {
        do {
            try folders.prepare()
            try chunks.prepare()
            try indexes.prepare()
        } catch { throw IntakeError(error) }
    }
}

extension SymbolStorage {
    /// Copies the blob of a file to `path`, still compressed.
    ///
    /// - Returns: Whether the blob exists.
    /// - Throws: The error of a full disk if the copy would leave too little space.
    func fetchBlob(
        of file: StoredDebugFile, to path: String
    ) async throws(StorageError) -> Bool {
        if blobs.needsSpaceForCopies { try space.check(for: file.storedByteCount) }
        return try await blobs.fetch(file.blob, to: path)
    }

    /// Copies the blob with the companions of a file to `path`, still compressed.
    ///
    /// - Returns: Whether the blob exists.
    func fetch(
        _ companions: StoredCompanions, to path: String
    ) async throws(StorageError) -> Bool {
        if blobs.needsSpaceForCopies { try space.check(for: companions.storedByteCount) }
        return try await blobs.fetch(companions.blob, to: path)
    }

    /// Removes the indexes and blobs of removed rows, unless another row needs them, such as one of
    /// another owner. Call this within ``changes``.
    func removeRemains(of files: [StoredDebugFile]) async throws {
        for file in Set(files.map(\.key)) {
            let stored = try await catalogue.debugFiles(of: file.image)
            guard !stored.contains(where: { $0.key == file }) else { continue }
            try indexes.remove(file)
            try await sharedIndexes?.remove(file)
        }
        for blob in Set(files.flatMap(\.blobs)) where try await !catalogue.isReferenced(blob: blob)
        {
            try await blobs.remove(blob)
        }
    }
}

extension SymbolStorage {
    /// Returns a stored file of the owner, or `nil` if there is none or its blob is lost.
    func debugFile(
        of image: ImageID, architecture: String, owner: SymbolOwner
    ) async throws(IntakeError) -> StoredDebugFile? {
        do {
            let files = try await catalogue.debugFiles(of: image)
            guard
                let file = files.first(where: {
                    $0.owner == owner && $0.architecture == architecture
                }), try await blobs.contains(file.blob)
            else { return nil }
            return file
        } catch { throw IntakeError(error) }
    }
}

public import ObjectStorage
public import SharedDatabase
public import SymbolIntake

/// Stores symbol maps and chunks of uploads in a bucket, for all nodes of a database: `files/RANDOM`.
///
/// A row decides which object belongs to a file, and how long the file stays.
public struct FileBucket: SharedFileStore {
    private let storage: StoredFiles
    private let files: FileObjects
    private let tasks: ExclusiveTasks

    static let folder = "files/"
    static let taskPrefix = "file:"
    /// The number of attempts while a file keeps being replaced.
    private static let triesLimit = 3

    /// - Parameters:
    ///   - database: The database with the rows.
    ///   - node: This node.
    public init(_ bucket: Bucket, database: SharedDatabase, node: ClusterNode) {
        storage = StoredFiles(bucket)
        files = FileObjects(in: database)
        tasks = ExclusiveTasks(SharedTasks(of: database, for: node), lease: .seconds(30))
    }

    public func keep(
        fileAt path: String, as name: String, for lifetime: Duration?
    ) async throws(StorageError) {
        let object = try await storage.upload(fileAt: path, under: Self.folder)
        if let old = try await files.put(object, of: name, for: lifetime) {
            await storage.delete([old])
        }
    }

    public func fetch(_ name: String, to path: String) async throws(StorageError) -> Bool {
        for _ in 0..<Self.triesLimit {
            guard let object = try await files.object(of: name) else { return false }
            if case .complete = try await storage.download(object, to: path) { return true }
            // The row of a symbol map stays: clients send the map only with its build, and the
            // bucket may still return the right bytes later.
            guard name.hasPrefix(ChunkStore.sharedPrefix) else { return false }
            // The client sends the chunk again. The row stays if the chunk was replaced meanwhile.
            let removed = try await files.remove(name, storedAs: object.name)
            await storage.delete(removed)
            if !removed.isEmpty { return false }
        }
        return false
    }

    public func file(_ name: String) async throws(StorageError) -> SharedFile? {
        try await files.object(of: name).map { SharedFile(name: name, object: $0) }
    }

    public func files(under prefix: String) async throws(StorageError) -> [SharedFile] {
        try await files.files(under: prefix)
    }

    public func byteCount(under prefix: String) async throws(StorageError) -> Int64 {
        try await files.byteCount(under: prefix)
    }

    public func extend(
        _ names: [String], for lifetime: Duration
    ) async throws(StorageError) -> Set<String> {
        try await files.extend(names, for: lifetime)
    }

    public func remove(_ names: [String]) async throws(StorageError) {
        await storage.delete(try await files.remove(names))
    }

    public func removeExpired(_ name: String) async throws(StorageError) -> Bool {
        let removed = try await files.removeExpired(name)
        await storage.delete(removed)
        if !removed.isEmpty { return true }
        return try await files.object(of: name) == nil
    }

    public func removeExpiring(
        under prefix: String, within time: Duration
    ) async throws(StorageError) {
        while true {
            let removed = try await files.removeExpiring(under: prefix, within: time)
            if removed.isEmpty { return }
            await storage.delete(removed)
        }
    }

    public func alone<Result: Sendable>(
        _ name: String, _ body: @Sendable () async throws -> Result
    ) async throws -> Result? {
        try await tasks.run(Self.taskPrefix + name, body)
    }
}

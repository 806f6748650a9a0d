import CallStacks
public import ObjectStorage
public import SharedDatabase
public import SymbolIntake

/// Stores built indexes in a bucket, for all nodes of a database: `indexes/FORMAT/RANDOM`.
///
/// A row decides which object contains an index. One node builds an index, and the others wait for
/// it.
public struct IndexBucket: IndexStore {
    private let storage: StoredFiles
    private let indexes: IndexObjects
    private let tasks: ExclusiveTasks

    static let folder = "indexes/"
    static let taskPrefix = "index:"

    /// - Parameters:
    ///   - database: The database with the rows.
    ///   - node: The node that builds indexes.
    public init(_ bucket: Bucket, database: SharedDatabase, node: ClusterNode) {
        self.init(bucket, database: database, node: node, lease: .seconds(30))
    }

    /// - Parameter lease: The time after which another node builds an index if its builder has
    ///   stopped responding.
    init(_ bucket: Bucket, database: SharedDatabase, node: ClusterNode, lease: Duration) {
        storage = StoredFiles(bucket)
        indexes = IndexObjects(in: database)
        tasks = ExclusiveTasks(SharedTasks(of: database, for: node), lease: lease)
    }

    public func fetch(
        _ file: DebugFileKey, format: Int, to path: String
    ) async throws(StorageError) -> Bool {
        guard let object = try await indexes.object(of: file, format: format) else { return false }
        switch try await storage.download(object, to: path) {
        case .complete: return true
        // The caller builds the index again and replaces the object.
        case .missing, .damaged: return false
        }
    }

    public func keep(
        fileAt path: String, of file: DebugFileKey, format: Int
    ) async throws(StorageError) {
        let object = try await storage.upload(fileAt: path, under: "\(Self.folder)\(format)/")
        try await indexes.add(object, of: file, format: format)
    }

    public func hasOther(
        than path: String, of file: DebugFileKey, format: Int
    ) async throws(StorageError) -> Bool {
        guard let object = try await indexes.object(of: file, format: format) else { return false }
        return try await !storage.contains(object, inFileAt: path)
    }

    public func remove(_ file: DebugFileKey) async throws(StorageError) {
        await storage.delete(try await indexes.remove(file))
    }

    public func building<Result: Sendable>(
        _ file: DebugFileKey, format: Int, _ body: @Sendable () async throws -> Result
    ) async throws -> Result? {
        let name =
            "\(Self.taskPrefix)\(file.image.hex):\(file.architecture):\(file.blob):\(format)"
        return try await tasks.run(name, body)
    }
}

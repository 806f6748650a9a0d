public import ObjectStorage
import Problems
public import SharedDatabase
public import SymbolIntake

/// Stores blobs in a bucket, for all nodes of a database: the blob `abcdef…` is the object
/// `blobs/ab/abcdef…-RANDOM`.
///
/// A row decides whether a blob exists and which object contains it. Objects are never replaced, so
/// the bucket need not be strongly consistent.
public struct BlobBucket: BlobStore {
    private let storage: StoredFiles
    private let blobs: BlobObjects
    private let grace: Duration
    private let protection: Duration

    public var needsSpaceForCopies: Bool { true }

    static let folder = "blobs/"

    /// - Parameters:
    ///   - database: The database with the rows.
    ///   - grace: The time for which a blob without a debug file stays if its removal was
    ///     interrupted.
    public init(_ bucket: Bucket, database: SharedDatabase, grace: Duration) {
        self.init(bucket, database: database, grace: grace, protection: .seconds(3_600))
    }

    /// - Parameter protection: The time for which a blob stays after an upload needed it, because
    ///   another node may be about to store the debug file.
    init(_ bucket: Bucket, database: SharedDatabase, grace: Duration, protection: Duration) {
        storage = StoredFiles(bucket)
        blobs = BlobObjects(in: database)
        self.protection = protection
        self.grace = max(grace, protection)
    }

    public func keep(fileAt path: String, as name: String) async throws(StorageError) {
        if try await blobs.touch(name) { return }
        let object = try await storage.upload(
            fileAt: path, under: "\(Self.folder)\(name.prefix(2))/\(name)-")
        // Another node may have stored the same file meanwhile.
        if try await !blobs.add(object, of: name) { await storage.delete([object.name]) }
    }

    public func fetch(_ name: String, to path: String) async throws(StorageError) -> Bool {
        guard let (object, wasDamaged) = try await blobs.object(of: name) else { return false }
        let result = try await storage.download(object, to: path)
        if result.isComplete == wasDamaged {
            try await blobs.record(object, of: name, isDamaged: !result.isComplete)
        }
        switch result {
        case .complete: return true
        case .missing: return false
        case .damaged(let problem): throw StorageError(problem, isDamage: true)
        }
    }

    public func contains(_ name: String) async throws(StorageError) -> Bool {
        try await blobs.contains(name)
    }

    public func remove(_ name: String) async throws(StorageError) {
        if let object = try await blobs.remove(name, untouchedFor: protection) {
            await storage.delete([object])
        }
    }

    public func names() async throws(StorageError) -> [String] {
        try await blobs.unneeded(for: grace)
    }
}

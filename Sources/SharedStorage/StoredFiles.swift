import ObjectStorage
import Problems
import SharedDatabase
import SymbolIntake

/// Files that are stored as objects of a bucket.
struct StoredFiles: Sendable {
    /// The result of a download.
    enum Download {
        case complete
        case missing
        /// The bucket returned other bytes than were stored.
        case damaged(Problem)

        var isComplete: Bool { if case .complete = self { true } else { false } }
    }

    let bucket: Bucket

    init(_ bucket: Bucket) { self.bucket = bucket }

    /// Uploads a file as a new object.
    ///
    /// - Parameter prefix: The start of the object's name.
    func upload(
        fileAt path: String, under prefix: String
    ) async throws(StorageError) -> StoredObject {
        try await asStorage {
            let digest = try ObjectDigest(ofFileAt: path)
            let key = try self.key(prefix + ObjectKey.randomName())
            try await bucket.upload(fileAt: path, as: key)
            return StoredObject(
                name: key.rawValue, byteCount: digest.byteCount, sha256: digest.sha256)
        }
    }

    /// Downloads an object, and checks its size and its SHA-256.
    func download(
        _ object: StoredObject, to path: String
    ) async throws(StorageError) -> Download {
        try await asStorage {
            let digest = ObjectDigest(byteCount: object.byteCount, sha256: object.sha256)
            do {
                try await bucket.download(try key(object.name), to: path, expecting: digest)
                return .complete
            } catch let error as ObjectStorageError where error.reason == .notFound {
                return .missing
            } catch let error as ObjectStorageError where error.reason == .wrongBytes {
                return .damaged(error.problem)
            }
        }
    }

    /// Whether a file has the content of an object.
    func contains(
        _ object: StoredObject, inFileAt path: String
    ) async throws(StorageError) -> Bool {
        try await asStorage {
            try ObjectDigest(ofFileAt: path)
                == ObjectDigest(byteCount: object.byteCount, sha256: object.sha256)
        }
    }

    /// Deletes objects without a row. Those that cannot be deleted now are left to ``ObjectSweep``.
    func delete(_ names: [String]) async {
        try? await bucket.delete(names.compactMap { ObjectKey($0) })
    }

    private func key(_ name: String) throws -> ObjectKey {
        guard let key = ObjectKey(name) else {
            throw StorageError(Problem("object '\(name)'", detail: "invalid name"))
        }
        return key
    }
}

extension ObjectKey {
    /// The end of an object's name: 128 random bits, so that names are never reused.
    static func randomName() -> String {
        (0..<2).map { _ in String(UInt64.random(in: 1 << 60 ... .max), radix: 16) }.joined()
    }
}

/// Runs `body`, and converts its errors to storage errors.
func asStorage<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async throws(StorageError) -> Value {
    do {
        return try await body()
    } catch let error as StorageError {
        throw error
    } catch is CancellationError {
        throw StorageError(
            Problem("bucket", detail: "request was cancelled", suggestion: "send it again"))
    } catch {
        throw StorageError(Problem(error))
    }
}

import PostgreSQL
public import SymbolIntake

/// The table of the objects that contain the blobs.
///
/// A node stores an object, then this row, and then the row of the debug file. Meanwhile ``touch(_:)``
/// or ``add(_:of:)`` protects the blob from removal by other nodes.
public struct BlobObjects: Sendable {
    private let database: SharedDatabase

    public init(in database: SharedDatabase) { self.database = database }

    /// Returns the object of a blob and whether it is known to be damaged, or `nil` if the blob is
    /// not stored.
    public func object(
        of blob: String
    ) async throws(StorageError) -> (object: StoredObject, isDamaged: Bool)? {
        try await asCatalogue {
            try await database.read(
                "SELECT \(StoredObject.columns), damaged FROM blob WHERE name = $1",
                [.value(blob, .text)]
            ).first.map { (try StoredObject($0), try $0.value(3, .bool)) }
        }
    }

    /// Whether a blob is stored and not known to be damaged.
    public func contains(_ blob: String) async throws(StorageError) -> Bool {
        try await asCatalogue {
            try await database.read(
                "SELECT 1 FROM blob WHERE name = $1 AND NOT damaged", [.value(blob, .text)]
            ).count > 0
        }
    }

    /// Protects a blob from removal for some time.
    ///
    /// - Returns: Whether the blob is stored and not known to be damaged.
    public func touch(_ blob: String) async throws(StorageError) -> Bool {
        try await asCatalogue {
            try await database.write(
                "UPDATE blob SET touched = now() WHERE name = $1 AND NOT damaged",
                [.value(blob, .text)]
            ).affectedRows == 1
        }
    }

    /// Adds the object of a blob, unless another node has added one that is not known to be
    /// damaged.
    ///
    /// - Returns: Whether the object was added.
    public func add(
        _ object: StoredObject, of blob: String
    ) async throws(StorageError) -> Bool {
        try await asCatalogue {
            try await database.write(
                """
                INSERT INTO blob (name, \(StoredObject.columns), touched)
                VALUES ($4, $1, $2, $3, now())
                ON CONFLICT (name) DO UPDATE SET object = excluded.object,
                    bytes = excluded.bytes, sha256 = excluded.sha256, damaged = false,
                    touched = excluded.touched
                WHERE blob.damaged
                """, object.parameters + [.value(blob, .text)]
            ).affectedRows == 1
        }
    }

    /// Records whether an object is missing or has wrong bytes, so that the next upload of the file
    /// replaces it.
    public func record(
        _ object: StoredObject, of blob: String, isDamaged: Bool
    ) async throws(StorageError) {
        try await asCatalogue {
            try await database.write(
                "UPDATE blob SET damaged = $3 WHERE name = $1 AND object = $2",
                [
                    .value(blob, .text), .value(object.name, .text), .value(isDamaged, .bool),
                ])
        }
    }

    /// Removes a blob that no debug file needs.
    ///
    /// - Parameter time: The time for which a blob is protected. It is longer than an upload takes
    ///   from the blob to the debug file.
    /// - Returns: The name of its object, or `nil` if the blob was not removed.
    public func remove(
        _ blob: String, untouchedFor time: Duration
    ) async throws(StorageError) -> String? {
        try await asCatalogue {
            try await database.write(
                "DELETE FROM blob WHERE name = $2 AND \(Self.isUnneeded) RETURNING object",
                [time.parameter, .value(blob, .text)]
            ).first?.value(0, .text)
        }
    }

    /// Returns the blobs without a debug file that no upload has needed for some time.
    public func unneeded(for time: Duration) async throws(StorageError) -> [String] {
        try await asCatalogue {
            try await database.read(
                "SELECT name FROM blob WHERE \(Self.isUnneeded)", [time.parameter], limit: .large
            ).map { try $0.value(0, .text) }
        }
    }

    private static let isUnneeded = """
        touched < now() - $1 * interval '1 second'
            AND NOT EXISTS (SELECT 1 FROM debug_file f WHERE f.blob = blob.name)
            AND NOT EXISTS (SELECT 1 FROM debug_file f WHERE f.executable_blob = blob.name)
            AND NOT EXISTS (SELECT 1 FROM debug_file f WHERE f.companions_blob = blob.name)
        """
}

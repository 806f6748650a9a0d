import CallStacks
import PostgreSQL
public import SymbolIntake

/// The table of the objects that contain built indexes.
///
/// Versions of the program with a different format use separate rows.
public struct IndexObjects: Sendable {
    private let database: SharedDatabase

    /// The maximum number of rows that a step of a removal removes.
    static let removalLimit: Int64 = 500

    public init(in database: SharedDatabase) { self.database = database }

    /// Returns the object of an index, or `nil` if no index is stored.
    public func object(
        of file: DebugFileKey, format: Int
    ) async throws(StorageError) -> StoredObject? {
        try await asCatalogue {
            try await database.read(
                """
                SELECT \(StoredObject.columns) FROM index_object
                WHERE image = $1 AND architecture = $2 AND blob = $3 AND format = $4
                """,
                file.parameters + [.value(Int32(clamping: format), .int4)]
            ).first.map { try StoredObject($0) }
        }
    }

    /// Adds the object of an index, or replaces another one.
    public func add(
        _ object: StoredObject, of file: DebugFileKey, format: Int
    ) async throws(StorageError) {
        try await asCatalogue {
            try await database.write(
                """
                INSERT INTO index_object (
                    image, architecture, blob, format, \(StoredObject.columns), touched)
                VALUES ($1, $2, $3, $4, $5, $6, $7, now())
                ON CONFLICT (image, architecture, blob, format) DO UPDATE SET
                    object = excluded.object, bytes = excluded.bytes, sha256 = excluded.sha256,
                    touched = excluded.touched
                """,
                file.parameters + [.value(Int32(clamping: format), .int4)] + object.parameters)
        }
    }

    /// Removes the indexes of a debug file, in all formats.
    ///
    /// - Returns: The names of their objects.
    public func remove(_ file: DebugFileKey) async throws(StorageError) -> [String] {
        try await asCatalogue {
            try await database.write(
                """
                DELETE FROM index_object WHERE image = $1 AND architecture = $2 AND blob = $3
                RETURNING object
                """, file.parameters
            ).map { try $0.value(0, .text) }
        }
    }

    /// Removes some indexes of debug files that have not been stored for some time.
    ///
    /// - Parameter time: Longer than an upload takes from the index to the debug file.
    /// - Returns: The names of their objects; empty if no such index is left.
    public func removeUnneeded(for time: Duration) async throws(StorageError) -> [String] {
        try await asCatalogue {
            try await database.write(
                """
                DELETE FROM index_object WHERE object IN (
                    SELECT object FROM index_object i
                    WHERE touched < now() - $1 * interval '1 second' AND NOT EXISTS (
                        SELECT 1 FROM debug_file f WHERE f.image = i.image
                            AND f.architecture = i.architecture
                            AND concat_ws('+', f.blob, f.companions_blob) = i.blob)
                    LIMIT \(Self.removalLimit))
                RETURNING object
                """, [time.parameter]
            ).map { try $0.value(0, .text) }
        }
    }
}

extension DebugFileKey {
    fileprivate var parameters: [Parameter] {
        [.value(image.bytes, .bytea), .value(architecture, .text), .value(blobs, .text)]
    }

    /// The names of the file's blobs, in the column `blob`.
    private var blobs: String { companions.map { "\(blob)+\($0)" } ?? blob }
}

import PostgreSQL
public import SymbolIntake

/// The table of the objects that contain symbol maps and chunks of uploads.
public struct FileObjects: Sendable {
    private let database: SharedDatabase

    /// The maximum number of rows that a step of a removal removes.
    static let removalLimit: Int64 = 500

    public init(in database: SharedDatabase) { self.database = database }

    /// Returns the object of a file, or `nil` if the file is not stored.
    public func object(of name: String) async throws(StorageError) -> StoredObject? {
        try await asCatalogue {
            try await database.read(
                "SELECT \(StoredObject.columns) FROM shared_file WHERE name = $1",
                [.value(name, .text)]
            ).first.map { try StoredObject($0) }
        }
    }

    /// Sets the object of a file.
    ///
    /// - Parameter lifetime: The time after which the file expires, or `nil` if it does not.
    /// - Returns: The name of the object that it replaces, or `nil` if there was none.
    public func put(
        _ object: StoredObject, of name: String, for lifetime: Duration?
    ) async throws(StorageError) -> String? {
        let parameters =
            object.parameters + [
                .value(name, .text), .optional(lifetime.map { $0 / .seconds(1) }, .float8),
            ]
        return try await asCatalogue {
            try await database.write(
                """
                WITH old AS (SELECT object FROM shared_file WHERE name = $4 FOR UPDATE), new AS (
                    INSERT INTO shared_file (name, \(StoredObject.columns), expiry)
                    VALUES ($4, $1, $2, $3, now() + $5 * interval '1 second')
                    ON CONFLICT (name) DO UPDATE SET object = excluded.object,
                        bytes = excluded.bytes, sha256 = excluded.sha256, expiry = excluded.expiry
                ) SELECT object FROM old
                """, parameters
            ).first?.value(0, .text)
        }
    }

    /// Returns the files whose names start with `prefix`.
    public func files(under prefix: String) async throws(StorageError) -> [SharedFile] {
        try await asCatalogue {
            try await database.read(
                """
                SELECT \(StoredObject.columns), name FROM shared_file
                WHERE name >= $1 AND name < $2 ORDER BY name
                """, Self.range(of: prefix), limit: .large
            ).map { SharedFile(name: try $0.value(3, .text), object: try StoredObject($0)) }
        }
    }

    /// Returns the size of the files whose names start with `prefix`.
    public func byteCount(under prefix: String) async throws(StorageError) -> Int64 {
        try await asCatalogue {
            try await database.read(
                """
                SELECT coalesce(sum(bytes), 0)::int8 FROM shared_file
                WHERE name >= $1 AND name < $2
                """, Self.range(of: prefix)
            ).first?.value(0, .int8) ?? 0
        }
    }

    /// The bounds of the names that start with a prefix, which ends with a slash.
    private static func range(of prefix: String) -> [Parameter] {
        [.value(prefix, .text), .value("\(prefix.dropLast())0", .text)]
    }

    /// Extends the lifetime of files to a time from now on.
    ///
    /// - Returns: The names of the files that are stored.
    public func extend(
        _ names: [String], for lifetime: Duration
    ) async throws(StorageError) -> Set<String> {
        try await asCatalogue {
            let found = try await database.write(
                """
                WITH stored AS (
                    SELECT name FROM shared_file WHERE name = ANY ($1) ORDER BY name FOR UPDATE
                ) UPDATE shared_file SET expiry = now() + $2 * interval '1 second'
                FROM stored WHERE stored.name = shared_file.name RETURNING shared_file.name
                """, [.value(names, .array(of: .text)), lifetime.parameter])
            return Set(try found.map { try $0.value(0, .text) })
        }
    }

    /// Removes files.
    ///
    /// - Returns: The names of their objects.
    public func remove(_ names: [String]) async throws(StorageError) -> [String] {
        try await asCatalogue {
            try await database.write(
                "DELETE FROM shared_file WHERE name = ANY ($1) RETURNING object",
                [.value(names, .array(of: .text))]
            ).map { try $0.value(0, .text) }
        }
    }

    /// Removes a file that is still stored as an object.
    ///
    /// - Returns: The name of the object; empty if another one has replaced it.
    public func remove(
        _ name: String, storedAs object: String
    ) async throws(StorageError) -> [String] {
        try await asCatalogue {
            try await database.write(
                "DELETE FROM shared_file WHERE name = $1 AND object = $2 RETURNING object",
                [.value(name, .text), .value(object, .text)]
            ).map { try $0.value(0, .text) }
        }
    }

    /// Removes a file if it has expired, or has no lifetime.
    ///
    /// - Returns: The name of its object; empty if the file was not removed.
    public func removeExpired(_ name: String) async throws(StorageError) -> [String] {
        try await asCatalogue {
            try await database.write(
                """
                DELETE FROM shared_file WHERE name = $1 AND coalesce(expiry < now(), true)
                RETURNING object
                """, [.value(name, .text)]
            ).map { try $0.value(0, .text) }
        }
    }

    /// Removes some of the files that expire within some time.
    ///
    /// - Returns: The names of their objects; empty if no such file is left.
    public func removeExpiring(
        under prefix: String, within time: Duration
    ) async throws(StorageError) -> [String] {
        try await asCatalogue {
            try await database.write(
                """
                DELETE FROM shared_file WHERE name IN (
                    SELECT name FROM shared_file
                    WHERE name >= $1 AND name < $2 AND expiry < now() + $3 * interval '1 second'
                    ORDER BY name LIMIT \(Self.removalLimit) FOR UPDATE)
                RETURNING object
                """, Self.range(of: prefix) + [time.parameter]
            ).map { try $0.value(0, .text) }
        }
    }
}

extension SharedFile {
    /// Creates the file that an object contains.
    public init(name: String, object: StoredObject) {
        self.init(name: name, byteCount: object.byteCount, sha256: object.sha256)
    }
}

public import CallStacks
import PostgreSQL
public import SymbolIntake

/// The names of all objects that rows refer to.
public struct ObjectNames: Sendable {
    private let database: SharedDatabase

    public init(in database: SharedDatabase) { self.database = database }

    /// Returns those of some names that no row refers to.
    public func unknown(among names: [String]) async throws(StorageError) -> Set<String> {
        try await asCatalogue {
            let known = try await database.read(
                """
                SELECT object FROM blob WHERE object = ANY ($1)
                UNION ALL SELECT object FROM index_object WHERE object = ANY ($1)
                UNION ALL SELECT object FROM shared_file WHERE object = ANY ($1)
                UNION ALL SELECT object FROM archive WHERE object = ANY ($1)
                """, [.value(names, .array(of: .text))], limit: .large
            ).map { try $0.value(0, .text) }
            return Set(names).subtracting(known)
        }
    }

    /// Returns the database's time minus a duration, or `nil` if the tables did not exist then.
    ///
    /// So if a bucket is connected to a new database by mistake, its objects are not removed
    /// immediately.
    public func time(before time: Duration) async throws(StorageError) -> UnixTime? {
        try await asCatalogue {
            try await database.read(
                """
                SELECT now() - $1 * interval '1 second' FROM cluster
                WHERE made <= now() - $1 * interval '1 second'
                """, [time.parameter]
            ).first.map {
                UnixTime(rawValue: try $0.value(0, .timestamptz).millisecondsSince1970)
            }
        }
    }
}

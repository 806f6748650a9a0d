public import Ingest
public import PostgreSQL

/// The versions of the tables of a database.
public struct TableVersions: Hashable, Sendable {
    /// The version of the stored tables, or `nil` if there are none.
    public var stored: Int?
    /// The oldest version of the tables whose programs can work with the stored ones.
    public var oldestProgram: Int
    /// The version that this program needs.
    public var needed: Int

    /// Whether this program can work with the stored tables.
    public var isUsable: Bool {
        stored.map { $0 >= needed && oldestProgram <= needed } ?? false
    }
}

extension SharedDatabase {
    /// Returns the versions of a database's tables, without changing them.
    public static func tableVersions(
        _ settings: ConnectionSettings
    ) async throws(JournalError) -> TableVersions {
        try await asJournal {
            let pool = try ConnectionPool(settings, limits: PoolLimits(connections: 2))
            let versions: Result<TableVersions, any Error>
            do {
                versions = .success(try await Migration(pool).tableVersions())
            } catch { versions = .failure(error) }
            await pool.close()
            return try versions.get()
        }
    }
}

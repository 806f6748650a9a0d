extension Schema {
    /// The objects with archived entries, and the position in each lane up to which it is archived.
    ///
    /// The cursors are not stored with those of readers, because an earlier version of the program
    /// would treat them as cursors of an exporter that is no longer configured.
    static let archive = [
        """
        CREATE TABLE archive (
            last bigint PRIMARY KEY,
            first bigint NOT NULL,
            day integer NOT NULL,
            object text COLLATE "C" NOT NULL UNIQUE,
            bytes bigint NOT NULL,
            entries bytea NOT NULL
        )
        """,
        "CREATE INDEX archive_day ON archive (day) INCLUDE (bytes)",
        """
        CREATE TABLE archive_cursor (
            lane smallint PRIMARY KEY,
            place bigint NOT NULL,
            passed bigint NOT NULL
        ) WITH (fillfactor = 20)
        """,
    ]

    /// The version of the tables from which on programs find archived entries.
    static let archiveVersion =
        versions.firstIndex { $0.statements == archive }.map { Int32($0 + 1) } ?? version
}

extension Schema {
    /// The objects with archived entries, and the position in each lane up to which it is archived.
    ///
    /// The cursors are not among those of readers: an earlier version of the program would take
    /// them for those of an exporter that is no longer configured.
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

    /// The first version of the tables whose programs find archived entries.
    static let archiveVersion =
        versions.firstIndex { $0.statements == archive }.map { Int32($0 + 1) } ?? version
}

import Ingest

extension Schema {
    /// Groups of diagnostics.
    ///
    /// A commit counts in `group_tally`, by lane, and records the changed versions in
    /// `group_change`. The sums in `diagnostic_group` and `group_version`, by which lists are
    /// ordered, are computed from these, see ``GroupSummaries``. Unknown apps and versions are
    /// empty texts here, and `NULL` in the table of diagnostics.
    static let groups = groupTables + groupIndexes

    private static let groupTables = [
        """
        CREATE TABLE diagnostic_group (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app text COLLATE "C" NOT NULL,
            fingerprint text COLLATE "C" NOT NULL,
            kind text COLLATE "C" NOT NULL DEFAULT '',
            culprit text,
            exception_name text,
            exception_message text,
            diagnostics bigint NOT NULL DEFAULT 0,
            unreadable bigint NOT NULL DEFAULT 0,
            first_seen bigint NOT NULL DEFAULT 0,
            last_seen bigint NOT NULL DEFAULT 0,
            newest_entry bigint NOT NULL DEFAULT 0,
            newest_position integer NOT NULL DEFAULT 0,
            UNIQUE (fingerprint, app)
        )
        """,
        """
        CREATE TABLE group_version (
            "group" bigint NOT NULL,
            version text COLLATE "C" NOT NULL,
            app text COLLATE "C" NOT NULL,
            diagnostics bigint NOT NULL,
            unreadable bigint NOT NULL,
            frames bigint NOT NULL,
            symbolicated bigint NOT NULL,
            first_seen bigint NOT NULL,
            last_seen bigint NOT NULL,
            newest_day integer NOT NULL,
            newest_entry bigint NOT NULL,
            newest_position integer NOT NULL,
            PRIMARY KEY ("group", version)
        )
        """,
        """
        CREATE TABLE group_tally (
            "group" bigint NOT NULL,
            version text COLLATE "C" NOT NULL,
            day integer NOT NULL,
            lane smallint NOT NULL,
            diagnostics bigint NOT NULL,
            unreadable bigint NOT NULL,
            frames bigint NOT NULL,
            symbolicated bigint NOT NULL,
            PRIMARY KEY ("group", version, day, lane)
        ) WITH (fillfactor = 50)
        """,
        "CREATE INDEX group_tally_day ON group_tally (day)",
        """
        CREATE TABLE group_change (
            "group" bigint NOT NULL,
            version text COLLATE "C" NOT NULL,
            lane smallint NOT NULL,
            PRIMARY KEY ("group", version, lane)
        )
        """,
        """
        CREATE TABLE group_image (
            "group" bigint NOT NULL,
            image bytea NOT NULL,
            lane smallint NOT NULL,
            arrival bigint NOT NULL,
            entry bigint NOT NULL,
            position integer NOT NULL,
            PRIMARY KEY ("group", image, lane)
        ) WITH (fillfactor = 50)
        """,
        "CREATE INDEX group_image_order ON group_image (image, arrival, entry, position)",
        // The oldest and the newest diagnostic of each version of a group.
        """
        CREATE INDEX diagnostic_group_version ON diagnostic (
            fingerprint, (coalesce(app, '')), (coalesce(version, '')), arrival, entry, position)
        """,
        """
        CREATE INDEX diagnostic_sampled
        ON diagnostic (app, kind, version, arrival, entry, position) WHERE \(isSampled)
        """,
    ]

    /// The kinds with sampled stacks, as the partial index of diagnostics lists them.
    static let isSampled = "kind IN ('hang', 'cpu_exception', 'disk_write_exception', 'app_launch')"

    /// An index for each order of a list, combined with each filter that a list can have.
    private static let groupIndexes = GroupQuery.Order.allCases.flatMap { order in
        let column = GroupListStatement.column(of: order)
        let groups = [
            ("", ""), ("app_", "app, "), ("kind_", "kind, "), ("app_kind_", "app, kind, "),
        ].map { name, filter in
            """
            CREATE INDEX diagnostic_group_\(name)\(order)
            ON diagnostic_group (\(filter)\(column), id) WHERE diagnostics > 0
            """
        }
        let versions = """
            CREATE INDEX group_version_\(order) ON group_version (app, version, \(column), "group")
            """
        return groups + [versions]
    }
}

extension Schema {
    /// Groups of diagnostics, counted by version and day, and the stacks of sampled diagnostics.
    /// Unknown apps and versions are empty strings here, and `NULL` in the table of diagnostics.
    static let groups = """
        UPDATE diagnostic SET app = NULL WHERE app = '';
        UPDATE diagnostic SET version = NULL WHERE version = '';
        CREATE INDEX diagnostic_app_version ON diagnostic (app, version);
        CREATE INDEX diagnostic_app_kind ON diagnostic (app, kind);
        CREATE INDEX diagnostic_fingerprint_version ON diagnostic (fingerprint, version);
        CREATE INDEX diagnostic_sampled ON diagnostic (app, kind, version)
            WHERE kind IN (\(SampledStackTable.kinds));
        CREATE INDEX build_image_name ON build_image (name);

        CREATE TABLE diagnostic_group (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            kind TEXT NOT NULL,
            culprit TEXT,
            exception_name TEXT,
            exception_message TEXT,
            diagnostics INTEGER NOT NULL,
            unreadable INTEGER NOT NULL,
            first_seen INTEGER NOT NULL,
            last_seen INTEGER NOT NULL,
            newest_entry INTEGER NOT NULL,
            newest_position INTEGER NOT NULL,
            UNIQUE (fingerprint, app)
        ) STRICT;
        CREATE TABLE group_version (
            "group" INTEGER NOT NULL REFERENCES diagnostic_group ON DELETE CASCADE,
            version TEXT NOT NULL,
            app TEXT NOT NULL,
            diagnostics INTEGER NOT NULL,
            frames INTEGER NOT NULL,
            symbolicated INTEGER NOT NULL,
            first_seen INTEGER NOT NULL,
            last_seen INTEGER NOT NULL,
            PRIMARY KEY ("group", version)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE group_day (
            "group" INTEGER NOT NULL REFERENCES diagnostic_group ON DELETE CASCADE,
            day INTEGER NOT NULL,
            diagnostics INTEGER NOT NULL,
            PRIMARY KEY ("group", day)
        ) STRICT, WITHOUT ROWID;

        INSERT INTO diagnostic_group (
            app, fingerprint, kind, diagnostics, unreadable, first_seen, last_seen, newest_entry,
            newest_position)
        SELECT coalesce(app, ''), fingerprint, '', count(*), sum(status = 'raw'), 0, 0, 0, 0
        FROM diagnostic GROUP BY fingerprint, app;
        UPDATE diagnostic_group SET \(newestColumns);
        INSERT INTO group_version
        SELECT own.id, coalesce(version, ''), own.app, count(*), sum(frames), sum(symbolicated), 0, 0
        FROM diagnostic AS one JOIN diagnostic_group AS own
            ON own.fingerprint = one.fingerprint AND own.app = coalesce(one.app, '')
        GROUP BY own.id, version;
        UPDATE group_version SET \(versionTimes);
        INSERT INTO group_day
        SELECT own.id, arrival / 86400000 AS day, count(*)
        FROM diagnostic AS one JOIN diagnostic_group AS own
            ON own.fingerprint = one.fingerprint AND own.app = coalesce(one.app, '')
        GROUP BY own.id, day;
        \(filteredGroupIndexes)

        CREATE TABLE upload_refusal (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            name TEXT NOT NULL,
            reason TEXT NOT NULL,
            app TEXT,
            version TEXT,
            build TEXT
        ) STRICT;
        CREATE INDEX upload_refusal_app ON upload_refusal (app);
        CREATE TABLE sampled_stack (
            id INTEGER PRIMARY KEY,
            entry INTEGER NOT NULL,
            position INTEGER NOT NULL,
            size INTEGER NOT NULL,
            form INTEGER NOT NULL,
            stack BLOB NOT NULL,
            UNIQUE (entry, position)
        ) STRICT;

        """

    /// Stacks get ids that are never reused, because cached flame graphs refer to their stacks by
    /// id.
    ///
    /// The migration then marks the sampled diagnostics without stacks, so that the worker computes
    /// their stacks from their entries. The worker sends one of them again only if it has more
    /// information than before.
    static let earlierStacks = """
        ALTER TABLE sampled_stack RENAME TO earlier_stack;
        CREATE TABLE sampled_stack (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            entry INTEGER NOT NULL,
            position INTEGER NOT NULL,
            size INTEGER NOT NULL,
            form INTEGER NOT NULL,
            stack BLOB NOT NULL,
            UNIQUE (entry, position)
        ) STRICT;
        INSERT INTO sampled_stack SELECT id, entry, position, size, form, stack FROM earlier_stack;
        DROP TABLE earlier_stack;
        UPDATE diagnostic SET marked = 0
        WHERE kind IN (\(SampledStackTable.kinds)) AND state = 1 AND marked IS NULL
            AND NOT EXISTS (
                SELECT 1 FROM sampled_stack AS stack
                WHERE stack.entry = diagnostic.entry AND stack.position = diagnostic.position)
        """

    /// See ``SampledStackTable/isSampled``.
    static let sampledIndex = """
        DROP INDEX diagnostic_sampled;
        CREATE INDEX diagnostic_sampled ON diagnostic (app, kind, version)
            WHERE \(SampledStackTable.isSampled)
        """

    /// Diagnostics by hour of arrival, app and status. An unknown app is an empty text.
    static let hours = """
        CREATE TABLE diagnostic_hour (
            hour INTEGER NOT NULL,
            app TEXT NOT NULL,
            status TEXT NOT NULL,
            diagnostics INTEGER NOT NULL,
            PRIMARY KEY (hour, app, status)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO diagnostic_hour
        SELECT arrival / 3600000 AS hour, coalesce(app, ''), status, count(*)
        FROM diagnostic GROUP BY hour, coalesce(app, ''), status;

        """

    /// The numbers of diagnostics and frames by app and version, which are empty texts if unknown.
    static let versionCounts = """
        CREATE TABLE version_count (
            app TEXT NOT NULL,
            version TEXT NOT NULL,
            diagnostics INTEGER NOT NULL,
            frames INTEGER NOT NULL,
            symbolicated INTEGER NOT NULL,
            PRIMARY KEY (app, version)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO version_count
        SELECT app, version, sum(diagnostics), sum(frames), sum(symbolicated)
        FROM group_version GROUP BY app, version;

        """

    /// The images of the app frames of groups.
    static let groupImages = """
        CREATE TABLE group_image (
            "group" INTEGER NOT NULL REFERENCES diagnostic_group ON DELETE CASCADE,
            image BLOB NOT NULL,
            entry INTEGER NOT NULL,
            position INTEGER NOT NULL,
            PRIMARY KEY ("group", image)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX group_image_order ON group_image (image, entry, position);

        """

    /// The columns of a group whose values come from its oldest and newest diagnostics.
    static let newestColumns = """
        (\(newestNames)) = (\(newest)), first_seen = (\(firstArrival))
        """

    /// Whether ``newestColumns`` have other values than their diagnostics.
    static let isNewestOutdated =
        "(\(newestNames)) IS NOT (\(newest)) OR first_seen IS NOT (\(firstArrival))"

    private static let newestNames = """
        kind, culprit, exception_name, exception_message, last_seen, newest_entry, newest_position
        """

    private static let newest = """
        SELECT kind, culprit, exception_name, exception_message, arrival, entry, position
        FROM \(ofGroup) ORDER BY entry DESC, position DESC LIMIT 1
        """

    private static let firstArrival =
        "SELECT arrival FROM \(ofGroup) ORDER BY entry, position LIMIT 1"

    private static let ofGroup = """
        diagnostic AS one WHERE one.fingerprint = diagnostic_group.fingerprint
            AND one.app IS nullif(diagnostic_group.app, '')
        """

    /// The times of a group's version, which come from its oldest and newest diagnostics.
    static let versionTimes = """
        first_seen = (\(firstOfVersion)), last_seen = (\(lastOfVersion))
        """

    /// Whether ``versionTimes`` have other values than their diagnostics.
    static let areVersionTimesOutdated =
        "first_seen IS NOT (\(firstOfVersion)) OR last_seen IS NOT (\(lastOfVersion))"

    private static let firstOfVersion = arrival(order: "entry, position")
    private static let lastOfVersion = arrival(order: "entry DESC, position DESC")

    private static func arrival(order: String) -> String {
        """
        SELECT arrival FROM diagnostic AS one JOIN diagnostic_group AS own
            ON own.id = group_version."group"
        WHERE one.fingerprint = own.fingerprint AND one.app IS nullif(own.app, '')
            AND one.version IS nullif(group_version.version, '')
        ORDER BY \(order) LIMIT 1
        """
    }

    /// The orders of a list, and their columns.
    private static let orders = [
        ("last", "last_seen"), ("count", "diagnostics"), ("new", "first_seen"),
    ]
    /// The columns by which lists are filtered, by the part of an index's name.
    private static let groupFilters = [
        ("", ""), ("app_", "app, "), ("kind_", "kind, "), ("app_kind_", "app, kind, "),
    ]

    /// An index for each order of a list, combined with each filter that a list can have.
    /// ``groupIndexes`` replaces those of groups.
    private static let filteredGroupIndexes = orders.map { order, column in
        groupFilters.map { name, filter in
            "CREATE INDEX diagnostic_group_\(name)\(order) ON diagnostic_group (\(filter)\(column));\n"
        }.joined()
            + "CREATE INDEX group_version_\(order) ON group_version (app, version, \(column));\n"
    }.joined()

    /// An index for each order of a list. A list with a filter reads the index in its order, and skips
    /// the others' rows without reading the table.
    ///
    /// An index for each filter would make those lists faster, but every diagnostic would change
    /// two indexes of each order, which takes four times as long as updating the group itself.
    static let groupIndexes =
        orders.map { order, column in
            groupFilters.map { "DROP INDEX diagnostic_group_\($0.0)\(order);\n" }.joined()
                + """
                CREATE INDEX diagnostic_group_\(order)
                    ON diagnostic_group (\(column), id, app, kind);

                """
        }.joined() + "CREATE INDEX diagnostic_group_kind ON diagnostic_group (kind, app);"
}

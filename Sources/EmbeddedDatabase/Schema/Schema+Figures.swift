extension Schema {
    /// Days count from 1970-01-01; `metric` is the raw value of `WatchedMetric`.
    static let figures = """
        CREATE TABLE seen_payload (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key BLOB NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE version_day (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
            version TEXT NOT NULL,
            day INTEGER NOT NULL,
            payloads INTEGER NOT NULL,
            left_out INTEGER NOT NULL,
            UNIQUE (app, version, day)
        ) STRICT;
        CREATE INDEX version_day_day ON version_day (day);
        CREATE TABLE version_figure (
            version_day INTEGER NOT NULL REFERENCES version_day ON DELETE CASCADE,
            metric INTEGER NOT NULL,
            total REAL NOT NULL,
            weight REAL NOT NULL,
            samples REAL NOT NULL,
            payloads INTEGER NOT NULL,
            mean_sum REAL NOT NULL,
            mean_squares REAL NOT NULL,
            PRIMARY KEY (version_day, metric)
        ) STRICT, WITHOUT ROWID;

        """
}

extension Schema {
    /// Counts of diagnostics by version, day and hour, and figures of app versions. Unknown apps and
    /// versions are empty texts here, and `NULL` in the table of diagnostics.
    static let counts = [
        """
        CREATE TABLE version_tally (
            app text COLLATE "C" NOT NULL,
            version text COLLATE "C" NOT NULL,
            day integer NOT NULL,
            lane smallint NOT NULL,
            diagnostics bigint NOT NULL,
            frames bigint NOT NULL,
            symbolicated bigint NOT NULL,
            PRIMARY KEY (app, version, day, lane)
        ) WITH (fillfactor = 50)
        """,
        "CREATE INDEX version_tally_day ON version_tally (day)",
        """
        CREATE TABLE hour_tally (
            hour integer NOT NULL,
            app text COLLATE "C" NOT NULL,
            status text COLLATE "C" NOT NULL,
            lane smallint NOT NULL,
            diagnostics bigint NOT NULL,
            PRIMARY KEY (hour, app, status, lane)
        ) WITH (fillfactor = 50)
        """,
        """
        CREATE TABLE seen_payload (
            key bytea PRIMARY KEY,
            seen timestamptz NOT NULL DEFAULT now()
        )
        """,
        "CREATE INDEX seen_payload_seen ON seen_payload (seen)",
        // 4 is the signal of a payload.
        "CREATE INDEX entry_payload ON entry (key) WHERE signal = 4",
        """
        CREATE TABLE version_day (
            app text COLLATE "C" NOT NULL,
            version text COLLATE "C" NOT NULL,
            day integer NOT NULL,
            lane smallint NOT NULL,
            payloads bigint NOT NULL,
            left_out bigint NOT NULL,
            PRIMARY KEY (app, version, day, lane)
        ) WITH (fillfactor = 50)
        """,
        "CREATE INDEX version_day_day ON version_day (day)",
        """
        CREATE TABLE version_figure (
            app text COLLATE "C" NOT NULL,
            version text COLLATE "C" NOT NULL,
            day integer NOT NULL,
            lane smallint NOT NULL,
            metric smallint NOT NULL,
            total double precision NOT NULL,
            weight double precision NOT NULL,
            samples double precision NOT NULL,
            payloads bigint NOT NULL,
            mean_sum double precision NOT NULL,
            mean_squares double precision NOT NULL,
            PRIMARY KEY (app, version, day, lane, metric)
        ) WITH (fillfactor = 50)
        """,
    ]
}

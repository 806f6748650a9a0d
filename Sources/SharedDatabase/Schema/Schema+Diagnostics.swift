extension Schema {
    /// Diagnostics, by day of arrival, so that whole days are removed without reading them.
    ///
    /// Counts are stored per lane, so that no row is changed by two nodes; readers add them up.
    /// They are also stored per day, and removed with the day.
    static let diagnostics =
        [
            """
            CREATE TABLE diagnostic (
                day integer NOT NULL,
                entry bigint NOT NULL,
                position integer NOT NULL,
                uid bytea NOT NULL,
                arrival bigint NOT NULL,
                kind text COLLATE "C" NOT NULL,
                status text COLLATE "C" NOT NULL,
                state smallint NOT NULL,
                held_until bigint,
                revision integer NOT NULL,
                digest bytea,
                app text COLLATE "C",
                version text COLLATE "C",
                build text COLLATE "C",
                exception_name text,
                exception_message text,
                culprit text,
                fingerprint text COLLATE "C" NOT NULL,
                frames integer NOT NULL,
                symbolicated integer NOT NULL,
                wanted bigint[] NOT NULL,
                wanted_frames integer[] NOT NULL,
                PRIMARY KEY (entry, position, day)
            ) PARTITION BY RANGE (day)
            """,
            "CREATE INDEX diagnostic_arrival ON diagnostic (arrival, entry, position)",
            "CREATE INDEX diagnostic_app ON diagnostic (app, arrival, entry, position)",
            """
            CREATE INDEX diagnostic_fingerprint
            ON diagnostic (fingerprint, arrival, entry, position)
            """,
            // Clients choose the identifiers, which may be longer than a B-tree index allows.
            "CREATE INDEX diagnostic_uid ON diagnostic USING hash (uid)",
            """
            CREATE TABLE wait (
                day integer NOT NULL,
                image bigint NOT NULL,
                run bigint NOT NULL DEFAULT nextval('wait_run'),
                addresses bytea NOT NULL,
                PRIMARY KEY (image, run, day)
            ) PARTITION BY RANGE (day)
            """,
            """
            CREATE TABLE missing_tally (
                image bigint NOT NULL,
                app text COLLATE "C" NOT NULL,
                day integer NOT NULL,
                lane smallint NOT NULL,
                waiting bigint NOT NULL,
                frames bigint NOT NULL,
                PRIMARY KEY (image, app, day, lane)
            ) WITH (fillfactor = 50)
            """,
            "CREATE INDEX missing_tally_day ON missing_tally (day)",
            """
            CREATE TABLE image_version (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                image bigint NOT NULL,
                app text COLLATE "C" NOT NULL,
                version text COLLATE "C" NOT NULL,
                UNIQUE (image, app, version)
            )
            """,
            "CREATE INDEX image_version_app ON image_version (app, image)",
            """
            CREATE TABLE resend (
                entry bigint NOT NULL,
                position integer NOT NULL,
                day integer NOT NULL,
                marked bigint,
                held bigint,
                due bigint GENERATED ALWAYS AS (least(marked, held)) STORED,
                taken bigint,
                PRIMARY KEY (entry, position)
            )
            """,
            "CREATE INDEX resend_due ON resend (due, entry, position) WHERE taken IS NULL",
            "CREATE INDEX resend_taken ON resend (taken) WHERE taken IS NOT NULL",
            "CREATE INDEX resend_day ON resend (day)",
            "CREATE INDEX resend_held ON resend (held) WHERE held IS NOT NULL",
        ]

    static let sequences = ["CREATE SEQUENCE wait_run", "CREATE SEQUENCE stack_number"]

    /// The contents that were sent, see `RevisionHistory`; NULL if none was, or only by earlier
    /// versions.
    static let revisionHistory = ["ALTER TABLE diagnostic ADD COLUMN history bytea"]

    /// The tables with a partition for each day of arrival.
    static let daily = ["diagnostic", "wait", "sampled_stack"]

    static let stacks = [
        """
        CREATE TABLE sampled_stack (
            day integer NOT NULL,
            id bigint NOT NULL DEFAULT nextval('stack_number'),
            entry bigint NOT NULL,
            position integer NOT NULL,
            size integer NOT NULL,
            form smallint NOT NULL,
            stack bytea NOT NULL,
            PRIMARY KEY (entry, position, day)
        ) PARTITION BY RANGE (day)
        """,
        "CREATE INDEX sampled_stack_id ON sampled_stack (id)",
    ]
}

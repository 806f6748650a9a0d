extension Schema {
    /// Lanes, entries and dead letters.
    ///
    /// The epoch is part of a key, so that a claim waits for transactions that hold `FOR KEY SHARE`
    /// on the lane, and appends do not. A fill factor leaves space in the page for the next
    /// versions of rows that change often.
    static let queue = tables + partition(0) + partition(1)

    private static let tables = [
        """
        CREATE TABLE cluster (
            single boolean PRIMARY KEY DEFAULT true CHECK (single),
            schema integer NOT NULL,
            oldest integer NOT NULL,
            bucket integer NOT NULL,
            bucket_start timestamptz NOT NULL DEFAULT now(),
            made timestamptz NOT NULL DEFAULT now()
        )
        """,
        "INSERT INTO cluster (schema, oldest, bucket) VALUES (1, 1, 0)",
        """
        CREATE TABLE node (
            id uuid PRIMARY KEY,
            name text NOT NULL,
            version text NOT NULL,
            schema integer NOT NULL,
            settings bytea NOT NULL,
            seen timestamptz NOT NULL
        )
        """,
        """
        CREATE TABLE lane (
            id smallint PRIMARY KEY CHECK (id >= 0),
            epoch bigint NOT NULL,
            node uuid,
            until timestamptz NOT NULL,
            tail bigint NOT NULL,
            total bigint NOT NULL,
            bucket integer NOT NULL,
            UNIQUE (id, epoch)
        ) WITH (fillfactor = 20)
        """,
        """
        CREATE TABLE reader (
            lane smallint NOT NULL,
            name text NOT NULL,
            place bigint NOT NULL,
            passed bigint NOT NULL,
            configured boolean NOT NULL DEFAULT true,
            PRIMARY KEY (lane, name)
        ) WITH (fillfactor = 20)
        """,
        """
        CREATE TABLE entry (
            bucket integer NOT NULL,
            number bigint NOT NULL,
            key bytea NOT NULL,
            arrival bigint NOT NULL,
            signal smallint NOT NULL,
            total bigint NOT NULL,
            size integer NOT NULL,
            form smallint NOT NULL,
            app text,
            body bytea NOT NULL,
            PRIMARY KEY (number, bucket)
        ) PARTITION BY LIST (bucket)
        """,
        // Bodies are compressed already.
        "ALTER TABLE entry ALTER body SET STORAGE EXTERNAL",
        """
        CREATE TABLE dead_letter (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            exporter text NOT NULL,
            signal smallint NOT NULL,
            refusal bigint NOT NULL,
            reason text NOT NULL,
            records integer NOT NULL,
            rejected integer,
            refused_under text,
            claimed_by uuid,
            claimed_until timestamptz,
            size integer NOT NULL,
            form smallint NOT NULL,
            body bytea NOT NULL
        )
        """,
        "ALTER TABLE dead_letter ALTER body SET STORAGE EXTERNAL",
        "CREATE INDEX dead_letter_exporter ON dead_letter (exporter, id) INCLUDE (records, rejected)",
        """
        CREATE TABLE task (
            name text PRIMARY KEY,
            node uuid,
            until timestamptz NOT NULL,
            done timestamptz
        )
        """,
    ]

    /// Finds expired dead letters, and covers the sum of their sizes.
    static let deadLetterSizes = [
        "CREATE INDEX dead_letter_refusal ON dead_letter (refusal) INCLUDE (size)"
    ]

    /// The keys of repeatable entries.
    static let claims = [
        """
        CREATE TABLE claimed_key (
            key bytea PRIMARY KEY,
            claimed timestamptz NOT NULL DEFAULT now()
        )
        """,
        "CREATE INDEX claimed_key_claimed ON claimed_key (claimed)",
    ]

    static func partitionName(_ number: Int32) -> String { "entry_\(number)" }

    /// Creates a partition of the entries.
    ///
    /// It is created separately and then attached, because creating it in place would block all
    /// readers and appends. Rows are never removed, so there is nothing to vacuum.
    static func partition(_ number: Int32) -> [String] {
        let name = partitionName(number)
        return [
            """
            CREATE TABLE \(name) (LIKE entry INCLUDING STORAGE)
            WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off)
            """,
            "ALTER TABLE entry ATTACH PARTITION \(name) FOR VALUES IN (\(number))",
        ]
    }
}

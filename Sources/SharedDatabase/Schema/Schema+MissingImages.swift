extension Schema {
    /// Images that diagnostics wait for, and changes of symbols.
    ///
    /// Numbers of missing images are never reused, because diagnostics refer to them. Tables that
    /// runs write to have no foreign keys, because all nodes would contend for their locks.
    static let missingImages = [
        """
        CREATE TABLE missing_image (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            image bytea NOT NULL,
            app text COLLATE "C" NOT NULL,
            name text,
            architecture text,
            in_app boolean NOT NULL,
            stored boolean NOT NULL,
            first_seen bigint NOT NULL,
            last_seen bigint NOT NULL,
            UNIQUE (image, app)
        )
        """,
        """
        CREATE TABLE missing_system (
            image bigint NOT NULL,
            lane smallint NOT NULL,
            os text COLLATE "C" NOT NULL,
            build text COLLATE "C" NOT NULL,
            architecture text COLLATE "C" NOT NULL,
            models text[] NOT NULL,
            diagnostics bigint NOT NULL,
            PRIMARY KEY (image, lane, os, build, architecture)
        )
        """,
        """
        CREATE TABLE symbol_change (
            seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            image bytea NOT NULL,
            app text COLLATE "C" NOT NULL,
            effect smallint NOT NULL
        )
        """,
        """
        CREATE TABLE awakening (
            image bigint PRIMARY KEY,
            effect smallint NOT NULL
        )
        """,
    ]
}

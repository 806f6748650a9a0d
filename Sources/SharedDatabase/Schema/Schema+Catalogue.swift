extension Schema {
    /// Debug files, builds and systems. An empty text means no app.
    static let catalogue = [
        """
        CREATE TABLE debug_file (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app text COLLATE "C" NOT NULL,
            image bytea NOT NULL,
            architecture text COLLATE "C" NOT NULL,
            name text NOT NULL,
            kind text NOT NULL,
            quality integer NOT NULL,
            completeness text,
            blob text COLLATE "C" NOT NULL,
            size bigint NOT NULL,
            stored bigint NOT NULL,
            upload bigint NOT NULL,
            last_use bigint NOT NULL,
            warnings text[] NOT NULL,
            UNIQUE (image, architecture, app)
        )
        """,
        "CREATE INDEX debug_file_app ON debug_file (app)",
        "CREATE INDEX debug_file_blob ON debug_file (blob, stored)",
        "CREATE INDEX debug_file_use ON debug_file (last_use, id)",
        "CREATE INDEX debug_file_upload ON debug_file (upload, id)",
        """
        CREATE TABLE build (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app text COLLATE "C" NOT NULL,
            version text COLLATE "C" NOT NULL,
            build text COLLATE "C" NOT NULL,
            first_upload bigint NOT NULL,
            last_upload bigint NOT NULL,
            UNIQUE (app, version, build)
        )
        """,
        """
        CREATE TABLE build_image (
            build bigint NOT NULL REFERENCES build ON DELETE CASCADE,
            image bytea NOT NULL,
            architecture text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            PRIMARY KEY (build, image, architecture)
        )
        """,
        "CREATE INDEX build_image_image ON build_image (image)",
        """
        CREATE TABLE system_image (
            image bytea NOT NULL,
            build text COLLATE "C" NOT NULL,
            architecture text COLLATE "C" NOT NULL,
            os text NOT NULL,
            PRIMARY KEY (image, build, architecture)
        )
        """,
        "CREATE INDEX system_image_build ON system_image (build)",
        """
        CREATE TABLE upload_refusal (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            at bigint NOT NULL,
            name text NOT NULL,
            reason text NOT NULL,
            app text,
            version text,
            build text
        )
        """,
    ]

    /// The executables beside debug files, see ``SymbolIntake/StoredExecutable``.
    static let executables = [
        """
        ALTER TABLE debug_file
            ADD COLUMN executable_blob text COLLATE "C",
            ADD COLUMN executable_name text,
            ADD COLUMN executable_kind text,
            ADD COLUMN executable_size bigint,
            ADD COLUMN executable_stored bigint
        """,
        """
        CREATE INDEX debug_file_executable ON debug_file (executable_blob, executable_stored)
            WHERE executable_blob IS NOT NULL
        """,
    ]

    /// The companions of debug files, see ``SymbolIntake/StoredCompanions``.
    static let companions = [
        """
        ALTER TABLE debug_file
            ADD COLUMN companions_blob text COLLATE "C",
            ADD COLUMN companions_size bigint,
            ADD COLUMN companions_stored bigint,
            ADD COLUMN supplement bytea
        """,
        """
        CREATE INDEX debug_file_companions ON debug_file (companions_blob, companions_stored)
            WHERE companions_blob IS NOT NULL
        """,
    ]

    /// The commits that builds were made from, as named by their uploads.
    static let sourceCommits = ["ALTER TABLE build ADD COLUMN source_commit text"]
}

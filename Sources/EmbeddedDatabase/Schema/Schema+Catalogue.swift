extension Schema {
    static let catalogue = """
        CREATE TABLE debug_file (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
        \(debugFileColumns)
            UNIQUE (image, architecture)
        ) STRICT;
        \(debugFileIndexes)

        CREATE TABLE build (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
            version TEXT NOT NULL,
            build TEXT NOT NULL,
            first_upload INTEGER NOT NULL,
            last_upload INTEGER NOT NULL,
            UNIQUE (app, version, build)
        ) STRICT;
        CREATE TABLE build_image (
            build INTEGER NOT NULL REFERENCES build ON DELETE CASCADE,
            image BLOB NOT NULL,
            architecture TEXT NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (build, image, architecture)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX build_image_image ON build_image (image);

        """

    /// Adds the owners of debug files, and to entries the app of the sender's token. An empty text
    /// means no app.
    ///
    /// Files that were stored earlier belong to the apps of the builds that contain them, or to
    /// everyone if no build does. SQLite cannot change the uniqueness of a table, so the table is
    /// replaced.
    static let owners = """
        ALTER TABLE journal ADD COLUMN app TEXT;

        CREATE TABLE owned_file (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
        \(debugFileColumns)
            completeness TEXT,
            UNIQUE (image, architecture, app)
        ) STRICT;
        INSERT INTO owned_file (
            app, image, architecture, name, kind, quality, blob, size, stored, upload, last_use,
            warnings, completeness)
        SELECT coalesce(owner.app, ''), file.image, file.architecture, name, kind, quality, blob,
            size, stored, upload, last_use, warnings, completeness
        FROM debug_file AS file LEFT JOIN (
            SELECT DISTINCT app, image, architecture
            FROM build_image JOIN build ON build.id = build_image.build
        ) AS owner ON owner.image = file.image AND owner.architecture = file.architecture
        ORDER BY file.id;
        DROP TABLE debug_file;
        ALTER TABLE owned_file RENAME TO debug_file;
        CREATE INDEX debug_file_app ON debug_file (app);
        \(debugFileIndexes)

        """

    /// The systems of stored system images. Files that were stored earlier have none.
    static let systemImages = """
        CREATE TABLE system_image (
            image BLOB NOT NULL,
            build TEXT NOT NULL,
            architecture TEXT NOT NULL,
            os TEXT NOT NULL,
            PRIMARY KEY (image, build, architecture)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX system_image_build ON system_image (build);

        """

    /// The executables beside debug files, see ``SymbolIntake/StoredExecutable``.
    static let executables = """
        ALTER TABLE debug_file ADD COLUMN executable_blob TEXT;
        ALTER TABLE debug_file ADD COLUMN executable_name TEXT;
        ALTER TABLE debug_file ADD COLUMN executable_kind TEXT;
        ALTER TABLE debug_file ADD COLUMN executable_size INTEGER;
        ALTER TABLE debug_file ADD COLUMN executable_stored INTEGER;
        CREATE INDEX debug_file_executable ON debug_file (executable_blob, executable_stored)
            WHERE executable_blob IS NOT NULL;

        """

    /// The companions of debug files, see ``SymbolIntake/StoredCompanions``.
    static let companions = """
        ALTER TABLE debug_file ADD COLUMN companions_blob TEXT;
        ALTER TABLE debug_file ADD COLUMN companions_size INTEGER;
        ALTER TABLE debug_file ADD COLUMN companions_stored INTEGER;
        ALTER TABLE debug_file ADD COLUMN supplement BLOB;
        CREATE INDEX debug_file_companions ON debug_file (companions_blob, companions_stored)
            WHERE companions_blob IS NOT NULL;

        """

    /// The commits that builds were made from, as named by their uploads.
    static let sourceCommits = "ALTER TABLE build ADD COLUMN source_commit TEXT"

    private static let debugFileColumns = """
            image BLOB NOT NULL,
            architecture TEXT NOT NULL,
            name TEXT NOT NULL,
            kind TEXT NOT NULL,
            quality INTEGER NOT NULL,
            blob TEXT NOT NULL,
            size INTEGER NOT NULL,
            stored INTEGER NOT NULL,
            upload INTEGER NOT NULL,
            last_use INTEGER NOT NULL,
            warnings TEXT NOT NULL,
        """

    private static let debugFileIndexes = """
        CREATE INDEX debug_file_blob ON debug_file (blob, stored);
        CREATE INDEX debug_file_use ON debug_file (last_use);
        CREATE INDEX debug_file_upload ON debug_file (upload);
        """
}

extension Schema {
    /// State 0 is held, 1 is sent and 2 is released, see `DiagnosticRecord.State`. `marked` is the
    /// time at which the diagnostic is to be sent again; `released_by` is the entry that releases
    /// it from its hold. ``addressedDiagnostics`` replaces the table.
    static let diagnostics = """
        CREATE TABLE diagnostic (
            entry INTEGER NOT NULL,
            position INTEGER NOT NULL,
            uid TEXT NOT NULL UNIQUE,
        \(sentColumns)
        \(describingColumns)
            released_by INTEGER,
            PRIMARY KEY (entry, position)
        ) STRICT, WITHOUT ROWID;
        \(diagnosticIndexes)
        CREATE INDEX diagnostic_removable ON diagnostic (arrival)
            WHERE state = 1 AND marked IS NULL;

        """

    /// Several diagnostics may have the same `uid`, because clients choose it. It is stored as
    /// bytes, because a text would end at its first NUL. `digest` is the content of `revision`, and
    /// `revised_by` the last entry that sends the diagnostic again.
    static let addressedDiagnostics = """
        CREATE TABLE addressed_diagnostic (
            entry INTEGER NOT NULL,
            position INTEGER NOT NULL,
            uid BLOB NOT NULL,
        \(sentColumns)
            digest BLOB,
        \(describingColumns)
            revised_by INTEGER,
            PRIMARY KEY (entry, position)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO addressed_diagnostic
            SELECT entry, position, CAST(uid AS BLOB), arrival, kind, status, state, held_until,
                revision, NULL, app, version, build, exception_name, exception_message, culprit,
                fingerprint, frames, symbolicated, wanted, marked, released_by
            FROM diagnostic;
        DROP TABLE diagnostic;
        ALTER TABLE addressed_diagnostic RENAME TO diagnostic;
        CREATE INDEX diagnostic_uid ON diagnostic (uid);
        \(diagnosticIndexes)
        CREATE INDEX diagnostic_removable ON diagnostic (arrival, entry, position, revised_by)
            WHERE state = 1 AND marked IS NULL;

        """

    /// The contents that were sent, see `RevisionHistory`; NULL if none was, or only by earlier
    /// versions.
    static let revisionHistory = "ALTER TABLE diagnostic ADD COLUMN history BLOB"

    private static let sentColumns = """
            arrival INTEGER NOT NULL,
            kind TEXT NOT NULL,
            status TEXT NOT NULL,
            state INTEGER NOT NULL,
            held_until INTEGER,
            revision INTEGER NOT NULL,
        """

    private static let describingColumns = """
            app TEXT,
            version TEXT,
            build TEXT,
            exception_name TEXT,
            exception_message TEXT,
            culprit TEXT,
            fingerprint TEXT NOT NULL,
            frames INTEGER NOT NULL,
            symbolicated INTEGER NOT NULL,
            wanted TEXT NOT NULL,
            marked INTEGER,
        """

    /// See also ``groups``.
    private static let diagnosticIndexes = """
        CREATE INDEX diagnostic_app ON diagnostic (app);
        CREATE INDEX diagnostic_fingerprint ON diagnostic (fingerprint);
        CREATE INDEX diagnostic_marked ON diagnostic (marked, entry, position)
            WHERE marked IS NOT NULL;
        CREATE INDEX diagnostic_held ON diagnostic (held_until, entry, position) WHERE state = 0;
        """

    static let waits = """
        CREATE TABLE missing_image (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            image BLOB NOT NULL UNIQUE,
        \(missingImageColumns)
        ) STRICT;
        CREATE INDEX missing_image_unwanted ON missing_image (id) WHERE waiting <= 0;
        CREATE TABLE image_version (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            image INTEGER NOT NULL REFERENCES missing_image ON DELETE CASCADE,
            app TEXT NOT NULL,
            version TEXT NOT NULL,
            UNIQUE (image, app, version)
        ) STRICT;
        CREATE TABLE wait (
            image INTEGER NOT NULL,
            entry INTEGER NOT NULL,
            position INTEGER NOT NULL,
            PRIMARY KEY (image, entry, position)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE awakening (
            image INTEGER PRIMARY KEY,
            since INTEGER NOT NULL,
            due INTEGER NOT NULL
        ) STRICT;

        """

    /// Adds the app that has to upload a missing image; an empty text means any app.
    static let awaitedApps = """
        CREATE TABLE awaited_image (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            image BLOB NOT NULL,
            app TEXT NOT NULL,
        \(missingImageColumns),
            UNIQUE (image, app)
        ) STRICT;
        INSERT INTO awaited_image
        SELECT id, image, '', name, architecture, in_app, waiting, first_seen, last_seen
        FROM missing_image;
        -- Diagnostics refer to images by number, so no number may be reused.
        DELETE FROM sqlite_sequence WHERE name = 'awaited_image';
        INSERT INTO sqlite_sequence (name, seq)
        SELECT 'awaited_image', seq FROM sqlite_sequence WHERE name = 'missing_image';
        DROP TABLE missing_image;
        ALTER TABLE awaited_image RENAME TO missing_image;
        CREATE INDEX missing_image_unwanted ON missing_image (id) WHERE waiting <= 0;

        """

    /// `models` are separated by line breaks.
    static let systems = """
        ALTER TABLE missing_image ADD COLUMN frames INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE missing_system (
            image INTEGER NOT NULL REFERENCES missing_image ON DELETE CASCADE,
            os TEXT NOT NULL,
            build TEXT NOT NULL,
            architecture TEXT NOT NULL,
            models TEXT NOT NULL,
            diagnostics INTEGER NOT NULL,
            PRIMARY KEY (image, os, build, architecture)
        ) STRICT, WITHOUT ROWID;

        """

    /// The diagnostics of a stored system image wait again when its symbols are removed.
    static let storedImages =
        "ALTER TABLE missing_image ADD COLUMN stored INTEGER NOT NULL DEFAULT 0"

    /// For ``MissingListStatement``.
    static let missingOrder = """
        CREATE INDEX missing_image_order ON missing_image (in_app, waiting);
        CREATE INDEX missing_image_app ON missing_image (app);
        CREATE INDEX image_version_app ON image_version (app, image);

        """

    private static let missingImageColumns = """
            name TEXT,
            architecture TEXT,
            in_app INTEGER NOT NULL,
            waiting INTEGER NOT NULL,
            first_seen INTEGER NOT NULL,
            last_seen INTEGER NOT NULL
        """
}

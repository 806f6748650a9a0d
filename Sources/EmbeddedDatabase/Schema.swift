import GRDB

/// The tables, and how an older file gets them.
///
/// A *place* in the journal is the number of an entry. Numbers follow one another without a gap, so
/// the entries between two places can be counted without looking at them; `total` does the same for
/// their bytes. Moments are milliseconds since 1970, identities of images their bytes.
///
///     journal          one row an entry; `total` is the sum of the stored sizes up to and with it;
///                      `app` is the one that the sender's token is bound to
///     reader           how far each reader has come; `passed` is the `total` at its place;
///                      `configured`: at the last start that had any exporter
///     diagnostic       one row a diagnostic, by its place, so that the newest are at the end
///     kept             the entries that diagnostics keep alive, with how many do
///     unreferenced     entries behind `swept` that no diagnostic keeps alive any more
///     tally            one row: `kept_bytes` of all of `kept`; up to `swept` every entry was
///                      either removed or is in `kept` or in `unreferenced`
///     missing_image    images that some diagnostic waits for, with how many do: one row for all that
///                      any app's upload serves, and one for each app whose diagnostics only its
///                      own serves, see `SymbolAccess`
///     image_version    the versions of apps whose diagnostics wanted an image, as first seen
///     wait             which diagnostic waits for which image: by image, because that is what
///                      arrives; a diagnostic's own row tells its images, see ``WantedList``
///     awakening        images that have arrived and whose waiting diagnostics are being marked
///     dead_letter      what exporters refused for good; `rejected`: of a batch of which the rest
///                      was taken; `refused_under`: the settings of the exporter when it was
///                      refused once more
///     debug_file       the uploaded slices, one for each image, architecture and owner
///     build            the builds that uploads named
///     build_image      the images of each build
///     seen_payload     the MetricKit payloads that were worked on, by their keys, and by what the
///                      metric ones of them say
///     version_day      one row a day of a version of an app, with how many payloads it had
///     version_figure   the watched metrics of such a day, added up
///
/// `form` tells how a body is stored: see ``StoredBody/Form``.
enum Schema {
    /// `Symb`, in the header of the file: what tells it from other programs' databases.
    static let applicationID = 0x5379_6d62

    /// The worker has its place from the beginning: what is accepted before it first asks must not
    /// pass it by.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
        migrator.registerMigration("1: journal, archive, catalogue") { db in
            try db.execute(sql: journal + archive + waits + catalogue)
        }
        migrator.registerMigration("2: figures of versions") { db in
            try db.execute(sql: figures)
        }
        migrator.registerMigration("3: completeness of debug files") { db in
            // What earlier versions stored has none, and any whole file of its quality replaces it.
            try db.execute(sql: "ALTER TABLE debug_file ADD COLUMN completeness TEXT")
        }
        migrator.registerMigration("4: owners") { db in
            try db.execute(sql: owners)
        }
        migrator.registerMigration("5: diagnostics by address") { db in
            try db.execute(sql: addressedDiagnostics)
        }
        migrator.registerMigration("6: readers without exporters, letters sent again") { db in
            try db.execute(sql: delivery)
        }
        return migrator
    }

    private static let journal = """
        CREATE TABLE journal (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            key BLOB NOT NULL,
            arrival INTEGER NOT NULL,
            signal INTEGER NOT NULL,
            total INTEGER NOT NULL,
            size INTEGER NOT NULL,
            form INTEGER NOT NULL,
            body BLOB NOT NULL
        ) STRICT;
        -- Payloads that are posted twice are recognised by it. 4 is the signal of a payload.
        CREATE INDEX journal_payload ON journal (key) WHERE signal = 4;

        CREATE TABLE reader (
            name TEXT PRIMARY KEY NOT NULL,
            place INTEGER NOT NULL,
            passed INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO reader VALUES ('worker', 0, 0);

        CREATE TABLE kept (
            number INTEGER PRIMARY KEY,
            bytes INTEGER NOT NULL,
            diagnostics INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE unreferenced (number INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE tally (
            kept_bytes INTEGER NOT NULL,
            swept INTEGER NOT NULL
        ) STRICT;
        INSERT INTO tally VALUES (0, 0);
        CREATE TRIGGER kept_insert AFTER INSERT ON kept BEGIN
            UPDATE tally SET kept_bytes = kept_bytes + new.bytes;
        END;
        CREATE TRIGGER kept_delete AFTER DELETE ON kept BEGIN
            UPDATE tally SET kept_bytes = kept_bytes - old.bytes;
            INSERT INTO unreferenced SELECT old.number FROM tally WHERE old.number <= swept;
        END;

        CREATE TABLE dead_letter (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            exporter TEXT NOT NULL,
            signal INTEGER NOT NULL,
            refusal INTEGER NOT NULL,
            reason TEXT NOT NULL,
            records INTEGER NOT NULL,
            size INTEGER NOT NULL,
            form INTEGER NOT NULL,
            body BLOB NOT NULL
        ) STRICT;

        """

    /// State 0 is held, 1 is sent and 2 is released, see `DiagnosticRow.State`. `marked` is when the
    /// diagnostic is to be sent again; `released_by` is the entry that lets out one that was held.
    /// Now ``addressedDiagnostics`` replaces the table.
    ///
    /// Lists filter by app and by fingerprint through an index; what else they filter by has few
    /// values, so that a walk from the newest finds enough soon.
    private static let archive = """
        CREATE TABLE diagnostic (
            entry INTEGER NOT NULL,
            position INTEGER NOT NULL,
            uid TEXT NOT NULL UNIQUE,
            arrival INTEGER NOT NULL,
            kind TEXT NOT NULL,
            status TEXT NOT NULL,
            state INTEGER NOT NULL,
            held_until INTEGER,
            revision INTEGER NOT NULL,
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
            released_by INTEGER,
            PRIMARY KEY (entry, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX diagnostic_app ON diagnostic (app);
        CREATE INDEX diagnostic_fingerprint ON diagnostic (fingerprint);
        CREATE INDEX diagnostic_marked ON diagnostic (marked, entry, position)
            WHERE marked IS NOT NULL;
        CREATE INDEX diagnostic_held ON diagnostic (held_until, entry, position) WHERE state = 0;
        CREATE INDEX diagnostic_removable ON diagnostic (arrival)
            WHERE state = 1 AND marked IS NULL;

        """

    /// Several diagnostics may have one `uid`: it is the client's, and stored as bytes, because a text
    /// would end at its first NUL. `digest` is the content of `revision`, and `revised_by` the last
    /// entry that sends the diagnostic again.
    private static let addressedDiagnostics = """
        CREATE TABLE addressed_diagnostic (
            entry INTEGER NOT NULL,
            position INTEGER NOT NULL,
            uid BLOB NOT NULL,
            arrival INTEGER NOT NULL,
            kind TEXT NOT NULL,
            status TEXT NOT NULL,
            state INTEGER NOT NULL,
            held_until INTEGER,
            revision INTEGER NOT NULL,
            digest BLOB,
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
        CREATE INDEX diagnostic_app ON diagnostic (app);
        CREATE INDEX diagnostic_fingerprint ON diagnostic (fingerprint);
        CREATE INDEX diagnostic_marked ON diagnostic (marked, entry, position)
            WHERE marked IS NOT NULL;
        CREATE INDEX diagnostic_held ON diagnostic (held_until, entry, position) WHERE state = 0;
        CREATE INDEX diagnostic_removable ON diagnostic (arrival, entry, position, revised_by)
            WHERE state = 1 AND marked IS NULL;

        """

    private static let waits = """
        CREATE TABLE missing_image (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            image BLOB NOT NULL UNIQUE,
            name TEXT,
            architecture TEXT,
            in_app INTEGER NOT NULL,
            waiting INTEGER NOT NULL,
            first_seen INTEGER NOT NULL,
            last_seen INTEGER NOT NULL
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

    private static let catalogue = """
        CREATE TABLE debug_file (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
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
            UNIQUE (image, architecture)
        ) STRICT;
        CREATE INDEX debug_file_blob ON debug_file (blob, stored);
        CREATE INDEX debug_file_use ON debug_file (last_use);
        CREATE INDEX debug_file_upload ON debug_file (upload);

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

    /// Days are counted since 1970-01-01; `metric` is the raw value of `WatchedMetric`.
    private static let figures = """
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

    private static let delivery = """
        ALTER TABLE reader ADD COLUMN configured INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE dead_letter ADD COLUMN rejected INTEGER;
        ALTER TABLE dead_letter ADD COLUMN refused_under TEXT;
        -- Counts come from it alone, without a look at the letters.
        CREATE INDEX dead_letter_exporter ON dead_letter (exporter, records, rejected);

        """
}

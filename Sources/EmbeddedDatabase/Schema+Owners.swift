extension Schema {
    /// Gives debug files their owners, entries the app of the token that sent them, and missing images
    /// the app that has to upload them; an empty text means no app.
    ///
    /// A file that was stored before belongs to the apps of the builds that list it, or to everyone if
    /// none does. Tables whose uniqueness changes are made anew, which SQLite asks for.
    static let owners = """
        ALTER TABLE journal ADD COLUMN app TEXT;

        CREATE TABLE owned_file (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
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
        CREATE INDEX debug_file_blob ON debug_file (blob, stored);
        CREATE INDEX debug_file_use ON debug_file (last_use);
        CREATE INDEX debug_file_upload ON debug_file (upload);

        CREATE TABLE awaited_image (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            image BLOB NOT NULL,
            app TEXT NOT NULL,
            name TEXT,
            architecture TEXT,
            in_app INTEGER NOT NULL,
            waiting INTEGER NOT NULL,
            first_seen INTEGER NOT NULL,
            last_seen INTEGER NOT NULL,
            UNIQUE (image, app)
        ) STRICT;
        INSERT INTO awaited_image
        SELECT id, image, '', name, architecture, in_app, waiting, first_seen, last_seen
        FROM missing_image;
        -- Diagnostics refer to images by number, so none may be used again.
        DELETE FROM sqlite_sequence WHERE name = 'awaited_image';
        INSERT INTO sqlite_sequence (name, seq)
        SELECT 'awaited_image', seq FROM sqlite_sequence WHERE name = 'missing_image';
        DROP TABLE missing_image;
        ALTER TABLE awaited_image RENAME TO missing_image;
        CREATE INDEX missing_image_unwanted ON missing_image (id) WHERE waiting <= 0;
        """
}

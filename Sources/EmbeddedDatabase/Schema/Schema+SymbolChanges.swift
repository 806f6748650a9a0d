extension Schema {
    /// Changes of symbols, each recorded in the write that changes them. `effect` is a
    /// ``SymbolChangeEffect``.
    ///
    /// Earlier versions recorded a change in a separate write. If they were killed before that
    /// write, they compared the images that diagnostics wait for with the stored files at the next
    /// start. This migration makes the last such comparison: a file counts as newer than the wait
    /// if it is complete, or was uploaded after the first diagnostic that waits. Symbols that were
    /// removed before a diagnostic with their names was stored left its wait suspended.
    static let symbolChanges = """
        CREATE TABLE symbol_change (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            image BLOB NOT NULL,
            app TEXT NOT NULL,
            effect INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE stored_awakening (
            image INTEGER PRIMARY KEY REFERENCES missing_image ON DELETE CASCADE,
            effect INTEGER NOT NULL
        ) STRICT;
        -- An awakening without re-sends had the greatest number as the oldest arrival.
        INSERT INTO stored_awakening
        SELECT image, since = 9223372036854775807 FROM awakening
        WHERE image IN (SELECT id FROM missing_image);
        DROP TABLE awakening;
        ALTER TABLE stored_awakening RENAME TO awakening;

        CREATE TEMPORARY TABLE usable_file AS
        SELECT missing.id AS image, upload >= first_seen AS is_later,
            kind = 'system' AS is_of_system, CASE
                WHEN kind = 'system' AND quality < 3
                THEN quality >= 1 AND warnings NOT LIKE '%"symbols-file-missing: %'
                ELSE quality >= 3
                    AND coalesce(json_extract(completeness, '$.unitsUnread'), 0) = 0
                END AS is_sufficient
        FROM missing_image AS missing JOIN debug_file AS file
            ON file.image = missing.image AND (file.app = '' OR missing.app IN ('', file.app));
        UPDATE missing_image SET stored = 0
        WHERE stored = 1 AND id NOT IN (SELECT image FROM usable_file WHERE is_sufficient);
        INSERT INTO awakening (image, effect)
        SELECT image, min(is_of_system) FROM usable_file
        WHERE (is_sufficient OR is_later)
            AND image IN (SELECT id FROM missing_image WHERE stored = 0)
        GROUP BY image
        ON CONFLICT (image) DO UPDATE SET effect = min(effect, excluded.effect);
        DROP TABLE usable_file;

        """
}

extension Schema {
    static let journal = """
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
        -- Recognises payloads that are posted twice. 4 is the signal of a payload.
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

    /// Marks readers without an exporter in the configuration, and dead letters that were sent
    /// again.
    static let delivery = """
        ALTER TABLE reader ADD COLUMN configured INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE dead_letter ADD COLUMN rejected INTEGER;
        ALTER TABLE dead_letter ADD COLUMN refused_under TEXT;
        -- Covers the counts of dead letters.
        CREATE INDEX dead_letter_exporter ON dead_letter (exporter, records, rejected);

        """

    /// Finds expired dead letters, and covers the sum of their sizes.
    static let deadLetterSizes =
        "CREATE INDEX dead_letter_refusal ON dead_letter (refusal, size)"
}

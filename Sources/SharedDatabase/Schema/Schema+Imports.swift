extension Schema {
    /// The data folders that were moved to the database. See ``FolderImport``.
    static let imports = [
        """
        CREATE TABLE folder_import (
            id uuid PRIMARY KEY,
            lane smallint NOT NULL,
            folder text NOT NULL,
            letter bigint NOT NULL DEFAULT 0,
            begun timestamptz NOT NULL DEFAULT now(),
            finished timestamptz
        )
        """
    ]
}

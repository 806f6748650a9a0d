extension Schema {
    /// The objects in the bucket that rows refer to. See ``BlobObjects`` and ``IndexObjects``.
    static let objects = [
        """
        CREATE TABLE blob (
            name text COLLATE "C" PRIMARY KEY,
            object text COLLATE "C" NOT NULL UNIQUE,
            bytes bigint NOT NULL,
            sha256 bytea NOT NULL,
            damaged boolean NOT NULL DEFAULT false,
            touched timestamptz NOT NULL
        )
        """,
        """
        CREATE TABLE index_object (
            image bytea NOT NULL,
            architecture text COLLATE "C" NOT NULL,
            blob text COLLATE "C" NOT NULL,
            format integer NOT NULL,
            object text COLLATE "C" NOT NULL UNIQUE,
            bytes bigint NOT NULL,
            sha256 bytea NOT NULL,
            touched timestamptz NOT NULL,
            PRIMARY KEY (image, architecture, blob, format)
        )
        """,
    ]

    /// Symbol maps, and chunks of uploads. See ``FileObjects``.
    static let sharedFiles = [
        """
        CREATE TABLE shared_file (
            name text COLLATE "C" PRIMARY KEY,
            object text COLLATE "C" NOT NULL UNIQUE,
            bytes bigint NOT NULL,
            sha256 bytea NOT NULL,
            expiry timestamptz
        )
        """
    ]
}

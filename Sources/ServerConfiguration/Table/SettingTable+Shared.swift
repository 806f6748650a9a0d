/// The settings of nodes that share a database and a bucket.
extension SettingTable {
    static let shared: [Setting] = [
        Setting(
            "database.url", .unless("none", .secret), default: "none",
            summary:
                "PostgreSQL database that several nodes share, as `postgres://USER@HOST/DATABASE`; "
                + "needs `blobs.url`"),
        Setting(
            "database.password_file", .path, summary: "File with the password for `database.url`"),
        Setting(
            "database.connections", .number(3...64), default: "8",
            summary: "Maximum connections of a node to the database"),
        Setting(
            "database.migrate", .choice(["auto", "manual"]), default: "auto",
            summary: "Create and upgrade the tables of the database at startup"),
        Setting(
            "blobs.url", .unless("none", .text), default: "none",
            summary: "S3 bucket for debug files, indexes and archived requests of all nodes, as "
                + "`s3://BUCKET/PREFIX`"),
        Setting("blobs.endpoint", .url, summary: "S3-compatible server to use instead of AWS"),
        Setting(
            "blobs.region", .text,
            summary: "Region of the bucket; `AWS_REGION` or `us-east-1` if not set"),
        Setting(
            "blobs.path_style", .unless("auto", .boolean), default: "auto",
            summary:
                "Put the bucket's name into the path; `auto` does so for servers other than AWS"),
        Setting(
            "blobs.access_key_id", .text,
            summary: "Access key for the bucket; if not set, from `AWS_*` variables, web identity, "
                + "container or instance"),
        Setting("blobs.secret_key_file", .path, summary: "File with the secret of the access key"),
        Setting(
            "blobs.part_bytes", .size(.mebibytes(5)...ByteSize.usual.upperBound), default: "16MiB",
            summary: "Size of the parts of large uploads to the bucket"),
        Setting(
            "blobs.timeout", .duration(.seconds(1)...(.hours(1))), default: "30s",
            summary: "Idle timeout of requests to the bucket, which are then repeated"),
        Setting(
            "blobs.grace", .duration(.hours(1)...Duration.usual.upperBound), default: "7d",
            summary:
                "Time for which unreferenced objects stay in the bucket; must exceed the age of "
                + "database backups"),
        Setting(
            "cache.bytes", .sizeOrZero, default: "20GiB",
            summary: "Maximum size of the indexes cached in the data folder"),
        Setting(
            "cache.wait", .anyDuration, default: "2s",
            summary:
                "Longest time that a diagnostic waits for an index that is not in the data folder"),
        Setting(
            "cluster.node", .text,
            summary: "Name of the node in logs and lists; its host name if not set"),
        Setting(
            "cluster.lease", .duration(.seconds(5)...(.minutes(5))), default: "15s",
            summary: "Lease of a node's queue, after which another node takes it over"
        ),
        Setting(
            "cluster.queue_bytes", .anySize, default: "20GiB",
            summary:
                "Size limit of the queues of all nodes together; when it is reached, requests get 503"
        ),
        Setting(
            "archive.bytes", .size(.mebibytes(1)...(.mebibytes(64))), default: "8MiB",
            summary: "Target size of the objects with archived requests"),
        Setting(
            "archive.delay", .anyDuration, default: "60s",
            summary:
                "Longest time that a request waits for the object that it is archived in to be filled"
        ),
        Setting(
            "archive.lag_bytes", .sizeOrZero, default: "200GiB",
            summary:
                "Size limit of the requests that wait to be archived; beyond it, exported ones are left "
                + "out, and their diagnostics remain without their requests"),
    ]
}

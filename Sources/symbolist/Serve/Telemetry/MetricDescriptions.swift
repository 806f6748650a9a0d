/// The descriptions of the service's metrics, for Prometheus.
enum MetricDescriptions {
    static let all = [
        "symbolist_archive_lag_bytes":
            "Size of the entries of a lane that are not archived, in bytes as stored.",
        "symbolist_archive_left_out_total":
            "Requests of diagnostics that were not archived, because too much waited.",
        "symbolist_archived_entries_total": "Requests of diagnostics that were archived.",
        "symbolist_clock_difference_seconds":
            "The clock of the shared database minus that of the machine, in seconds.",
        "symbolist_commit_seconds": "Time to store the results of a run of entries.",
        "symbolist_dead_letters": "Batches that an exporter refused for good.",
        "symbolist_diagnostics_total": "Diagnostics received, by symbolication status.",
        "symbolist_database_bytes":
            "Size of the database file, in bytes; not of a shared database.",
        "symbolist_database_wal_bytes": "Size of the database's write-ahead log, in bytes.",
        "symbolist_diagnostics_held": "Diagnostics held until their symbols arrive.",
        "symbolist_diagnostics_held_total": "Diagnostics that were held for their symbols.",
        "symbolist_diagnostics_waiting":
            "Diagnostics waiting for missing images, counted once per image.",
        "symbolist_disk_free_bytes": "Free space on the data volume, in bytes.",
        "symbolist_disk_size_bytes": "Size of the data volume, in bytes.",
        "symbolist_disk_used_bytes": "Used space on the data volume, in bytes.",
        "symbolist_entry_bucket_seconds":
            "Time to begin or remove a partition of the entries in the shared database.",
        "symbolist_export_delay_seconds":
            "Time from the arrival of a batch's oldest record to its delivery.",
        "symbolist_export_oldest_seconds":
            "Age of the oldest entry that the exporter has not delivered.",
        "symbolist_export_records_total":
            "Log records, spans and metrics exported, by exporter and outcome.",
        "symbolist_export_retries_total":
            "Batches that an exporter did not accept at the first attempt.",
        "symbolist_frames_total": "Physical frames of diagnostics, by status.",
        "symbolist_grpc_requests_total": "gRPC calls, by method and status code.",
        "symbolist_grpc_request_seconds": "Duration of gRPC calls.",
        "symbolist_http_requests_total": "HTTP requests, by route and status code.",
        "symbolist_http_request_seconds": "Duration of HTTP requests.",
        "symbolist_index_builds_total": "Indexes built from uploaded debug files.",
        "symbolist_index_cache_hits_total": "Indexes opened from the data folder.",
        "symbolist_index_fetches_total": "Indexes fetched that another node built.",
        "symbolist_index_rebuilds_total": "Indexes rebuilt from stored debug files.",
        "symbolist_intake_children_lost_total": "Upload workers that failed or exceeded a limit.",
        "symbolist_journal_write_seconds": "Time to write a request to disk.",
        "symbolist_lane_bytes":
            "Size of the entries of a lane that wait, in bytes as stored.",
        "symbolist_kafka_lag": "Unfinished messages in the node's partitions.",
        "symbolist_kafka_partitions": "Partitions of Kafka that the node consumes.",
        "symbolist_kafka_reachable": "1 while a broker of Kafka can be reached, otherwise 0.",
        "symbolist_kafka_refused_total": "Messages of Kafka that are not OTLP requests.",
        "symbolist_lanes": "Lanes of the node.",
        "symbolist_lease_age_seconds": "Time since the leases of the lanes were renewed.",
        "symbolist_mapped_index_bytes": "Size of mapped indexes, in bytes.",
        "symbolist_mapped_indexes": "Number of mapped indexes.",
        "symbolist_metrickit_unread_total":
            "Values of MetricKit payloads that were not understood and kept as text.",
        "symbolist_object_seconds":
            "Duration of requests to the bucket, by method and outcome.",
        "symbolist_queue_age_seconds": "Age of the oldest entry in the queue.",
        "symbolist_queue_bytes": "Size of the entries in the queue, in bytes as stored.",
        "symbolist_queue_entries": "Number of entries in the queue.",
        "symbolist_queue_limit_bytes": "Queue size limit, in bytes.",
        "symbolist_ready": "1 while telemetry is accepted, otherwise 0.",
        "symbolist_revisions_total": "Diagnostics sent again because symbols arrived.",
        "symbolist_symbolication_seconds":
            "Time to look up the symbols of a diagnostic and symbolicate it.",
        "symbolist_uploaded_files_total": "Slices of uploads, by status.",
        "symbolist_worked_records_total":
            "Log records, spans and metrics that the worker processed.",
    ]
}

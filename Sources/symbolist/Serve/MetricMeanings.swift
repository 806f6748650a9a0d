/// What the metrics of the service mean, as Prometheus shows it.
enum MetricMeanings {
    static let all = [
        "symbolist_dead_letters": "Batches that exporters refused for good, by exporter.",
        "symbolist_diagnostics_total": "Diagnostics received, by what became of them.",
        "symbolist_database_bytes": "Size of the database file, in bytes.",
        "symbolist_database_wal_bytes": "Size of the database's write-ahead log, in bytes.",
        "symbolist_diagnostics_held": "Diagnostics kept back until their symbols come.",
        "symbolist_diagnostics_held_total": "Diagnostics that waited for their symbols.",
        "symbolist_diagnostics_waiting":
            "Diagnostics that want images without symbols, counted once for each image.",
        "symbolist_disk_free_bytes": "Free space of the data volume, in bytes.",
        "symbolist_disk_size_bytes": "Size of the data volume, in bytes.",
        "symbolist_disk_used_bytes": "Used space of the data volume, in bytes.",
        "symbolist_export_delay_seconds":
            "How long the oldest record of a batch took from its arrival until it was sent.",
        "symbolist_export_oldest_seconds":
            "Age of the oldest entry that an exporter is not done with.",
        "symbolist_export_records_total": "Log records sent on, by exporter and outcome.",
        "symbolist_export_retries_total": "Batches that an exporter did not take at once.",
        "symbolist_frames_total": "Physical frames of diagnostics, by what became of them.",
        "symbolist_grpc_requests_total": "Calls over gRPC, by method and outcome.",
        "symbolist_grpc_request_seconds": "How long calls over gRPC took.",
        "symbolist_http_requests_total": "Requests over HTTP, by route and status.",
        "symbolist_http_request_seconds": "How long requests over HTTP took.",
        "symbolist_index_builds_total": "Indexes built of uploaded debug files.",
        "symbolist_index_rebuilds_total": "Indexes built again of stored debug files.",
        "symbolist_intake_children_lost_total":
            "Processes that read an upload and did not end well.",
        "symbolist_journal_write_seconds":
            "How long requests took to be written to disk.",
        "symbolist_mapped_index_bytes": "Indexes that are mapped, in bytes.",
        "symbolist_mapped_indexes": "Indexes that are mapped.",
        "symbolist_metrickit_unread_total":
            "Values of MetricKit payloads that were not understood, and kept as text.",
        "symbolist_queue_age_seconds": "How long the oldest entry waits to be sent on.",
        "symbolist_queue_bytes": "Entries that wait to be sent on, in bytes as stored.",
        "symbolist_queue_entries": "Entries that wait to be sent on.",
        "symbolist_queue_limit_bytes": "Size at which the queue takes no more, in bytes.",
        "symbolist_ready": "1 while telemetry is accepted, else 0.",
        "symbolist_revisions_total": "Diagnostics sent again because symbols arrived.",
        "symbolist_symbolication_seconds":
            "How long diagnostics took from asking for their symbols to the answer.",
        "symbolist_uploaded_files_total": "Slices of uploads, by what became of them.",
        "symbolist_worked_records_total": "Log records that the worker handed to exporters.",
    ]
}

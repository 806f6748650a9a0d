/// What the metrics of the service mean, as Prometheus shows it.
enum MetricMeanings {
    static let all = [
        "symbolist_diagnostics_total": "Diagnostics received, by what became of them.",
        "symbolist_diagnostics_held_total": "Diagnostics that waited for their symbols.",
        "symbolist_frames_total": "Physical frames of diagnostics.",
        "symbolist_frames_symbolicated_total": "Physical frames whose function was found.",
        "symbolist_http_requests_total": "Requests over HTTP, by route and status.",
        "symbolist_http_request_seconds": "How long requests over HTTP took.",
        "symbolist_revisions_total": "Diagnostics sent again because symbols arrived.",
        "symbolist_worked_records_total": "Log records that the worker handed to exporters.",
    ]
}

/// Every key of the configuration, for loading, `serve --list-settings` and the configuration
/// reference.
public enum SettingTable {
    static let variablePrefix = "SYMBOLIST_"

    private static let port = SettingKind.number(0...65_535)
    private static let count = SettingKind.number(1...1_000_000_000)
    /// The time of one attempt, and of the pause after it.
    private static let attempt = Duration.milliseconds(1)...(.hours(1))
    /// Less would remove what was just stored.
    private static let age = Duration.minutes(1)...Duration.usual.upperBound
    private static let levels = [
        "trace", "debug", "info", "notice", "warning", "error", "critical",
    ]

    public static let settings: [Setting] =
        basics + access + pages + exports + kafka(below: "export[]") + stacks + honeycomb + limits
        + retention + shared + stream + operation

    private static let basics: [Setting] = [
        Setting("data", .path, default: "symbolist-data", summary: "Data folder"),
        Setting("http.host", .text, default: "127.0.0.1", summary: "Listen address for HTTP"),
        Setting("http.port", port, default: "4318", summary: "Port for HTTP; 0 picks a free port"),
        Setting(
            "http.hosts", .hosts,
            summary:
                "Extra `Host` names accepted from clients without a token, besides loopback and `http.host`"
        ),
        Setting(
            "http.origins", .origins,
            summary:
                "Web sites whose pages may post to `/symbolicate/v4` and `/symbolicate/v5` without a token, such as `https://profiler.firefox.com`"
        ),
        Setting("grpc.enabled", .boolean, default: "true", summary: "Serve gRPC"),
        Setting("grpc.host", .text, default: "127.0.0.1", summary: "Listen address for gRPC"),
        Setting("grpc.port", port, default: "4317", summary: "Port for gRPC; 0 picks a free port"),
        Setting(
            "tls.certificate", .path,
            summary: "Certificate chain (PEM) for HTTP and gRPC; enables TLS"),
        Setting("tls.key", .path, summary: "Private key (PEM) of the certificate"),
        Setting(
            "tls.client_ca", .path,
            summary:
                "CA certificates (PEM) for client certificates; when set, clients must present one"),
    ]

    private static let access: [Setting] = [
        Setting(
            "auth.anonymous", .boolean, default: "false",
            summary: "Accept requests from the network without a token"),
        Setting("auth.tokens[].name", .text, summary: "Name of the token in the log"),
        Setting(
            "auth.tokens[].token", .secret,
            summary: "The token in plain text; prefer `token_file` or `sha256`"),
        Setting(
            "auth.tokens[].token_file", .path, summary: "Path of a file that contains the token"),
        Setting(
            "auth.tokens[].sha256", .digest,
            summary: "SHA-256 of the token, so that the configuration contains no secret"),
        Setting(
            "auth.tokens[].scopes", .choices(["ingest", "upload", "read"]),
            summary: "Scopes that the token grants"),
        Setting("auth.tokens[].app", .text, summary: "App that the token is restricted to"),
    ]

    private static let pages: [Setting] = [
        Setting("pages.enabled", .boolean, default: "true", summary: "Serve web pages"),
        Setting(
            "pages.url", .url,
            summary:
                "URL of the pages for browsers, if a proxy is in front; its path is the prefix of all pages"
        ),
        Setting(
            "pages.redact", .choice(["none", "default", "strict"]), default: "default",
            summary: "Redaction of diagnostics on pages, in their downloads and in the API"),
        Setting(
            "pages.sign_in", .duration(.minutes(1)...(.days(366))), default: "12h",
            summary: "Lifetime of a sign-in"),
        Setting(
            "pages.key_file", .path,
            summary:
                "File with the 32 bytes that sign cookies, for several nodes; `pages.key` in the data folder if not set"
        ),
        Setting(
            "pages.dropped", .sizeOrZero, default: "64MiB",
            summary: "Memory for reports that were dropped on a page"),
        Setting(
            "links.source", .text,
            summary: "URL template of links to source files, with `{path}` and `{line}`"),
        Setting(
            "links.trace", .text,
            summary:
                "URL template of links from diagnostics to traces, with `{trace_id}` and `{span_id}`"
        ),
        Setting(
            "privacy.store", .choice(["original", "redacted"]), default: "original",
            summary:
                "Whether diagnostics are stored as received, or redacted before they are stored"),
        Setting(
            "privacy.export", .choice(["none", "default", "strict"]), default: "none",
            summary: "Redaction of diagnostics in exported records"),
    ]

    private static let exports: [Setting] = [
        Setting(
            "export[].name", .text,
            summary: "Name of the exporter's cursor in the queue; its URL or path if not set"),
        Setting(
            "export[].type", .choice(["otlp_http", "otlp_grpc", "kafka", "file", "stdout"]),
            default: "otlp_http",
            summary: "Exporter type"),
        Setting(
            "export[].url", .url,
            summary: "Endpoint of `otlp_grpc`, or base URL of `otlp_http`, which appends `/v1/logs`"
        ),
        Setting(
            "export[].logs_url", .url, summary: "Full URL for logs with `otlp_http`, used unchanged"
        ),
        Setting(
            "export[].traces_url", .url,
            summary: "Full URL for traces with `otlp_http`, used unchanged"),
        Setting(
            "export[].metrics_url", .url,
            summary: "Full URL for metrics with `otlp_http`, used unchanged"),
        Setting(
            "export[].path", .path,
            summary: "Output file of `file`; each request is appended as one line of JSON"),
        Setting(
            "export[].rotate.bytes", .unless("none", .anySize), default: "none",
            summary: "Size at which the output file is rotated"),
        Setting(
            "export[].rotate.keep", .number(1...1_000), default: "5",
            summary: "Number of rotated files to keep"),
        Setting(
            "export[].headers", .pairs, summary: "Headers for every request, such as an API key"),
        Setting(
            "export[].compression", .choice(["gzip", "none"]), default: "none",
            summary: "Compression of requests"),
        Setting(
            "export[].timeout", .duration(attempt), default: "10s",
            summary: "Timeout for one attempt"),
        Setting(
            "export[].retry.initial", .duration(attempt), default: "500ms",
            summary: "Longest backoff before the second attempt"),
        Setting(
            "export[].retry.max", .duration(attempt), default: "30s",
            summary: "Longest backoff between attempts"),
        Setting(
            "export[].retry.max_asked", .duration(.zero...(.days(1))), default: "5m",
            summary: "Longest `Retry-After` that is honoured"),
        Setting(
            "export[].retry.max_elapsed", .unless("none", .duration(.zero...(.days(366)))),
            default: "none",
            summary: "Time after which a failing batch is dead-lettered"),
        Setting(
            "export[].batch.bytes", .size(ByteSize(bytes: 1)...(.mebibytes(1_024))),
            default: "2MiB", summary: "Largest batch, in bytes"),
        Setting(
            "export[].batch.records", .number(1...1_000_000), default: "1000",
            summary: "Largest batch, in records"),
        Setting(
            "export[].batch.delay", .duration(.zero...(.minutes(10))), default: "200ms",
            summary: "Longest time that a batch waits to fill"),
        Setting(
            "export[].batch.in_flight", .number(1...64), default: "4",
            summary: "Batches in flight at once; 1 preserves their order"),
        Setting(
            "export[].tls.ca", .path,
            summary: "CA certificates (PEM) to trust instead of the system's"),
        Setting("export[].tls.certificate", .path, summary: "Client certificate chain (PEM)"),
        Setting("export[].tls.key", .path, summary: "Private key (PEM) of the client certificate"),
        Setting(
            "export[].tls.insecure", .boolean, default: "false",
            summary: "Accept any certificate (insecure: allows interception)"),
    ]

    private static let stacks: [Setting] = [
        Setting(
            "stacktrace.format", .choice(["text", "json"]), default: "text",
            summary: "Format of `exception.stacktrace`"),
        Setting(
            "stacktrace.keep_original", .boolean, default: "true",
            summary: "Also send the received stack as `exception.stacktrace.original`"),
        Setting(
            "stacktrace.full_paths", .boolean, default: "false",
            summary: "Show full source paths in stacks"),
        Setting(
            "metrickit.additions", .boolean, default: "true",
            summary: "Add attributes that OpenTelemetry's MetricKit instrumentation does not send"),
        Setting(
            "hold", .anyDuration, default: "0s",
            summary: "Longest time that a record waits for its symbols before it is sent"),
        Setting(
            "resend.window", .anyDuration, default: "30d",
            summary: "Period in which a record is sent again when its symbols arrive"),
        Setting(
            "resend.system", .boolean, default: "false",
            summary: "Also send records again when symbols of Apple's own images arrive"),
        Setting(
            "in_app.include", .patterns,
            summary: "Images that belong to the app; takes precedence over every other rule"),
        Setting("in_app.exclude", .patterns, summary: "Images that do not belong to the app"),
    ]

    /// The keys are those of Honeycomb's processor.
    private static let honeycomb: [Setting] = [
        Setting(
            "honeycomb.enabled", .boolean, default: "false",
            summary:
                "Use the attributes of Honeycomb's `dsym_symbolicator`, as the following settings name them"
        ),
        Setting(
            "honeycomb.stack_trace_attribute_key", .text, default: "exception.stacktrace",
            summary: "Text stacks, received and sent"),
        Setting(
            "honeycomb.metrickit_stack_trace_attribute_key", .text,
            default: "metrickit.diagnostic.crash.exception.stacktrace_json",
            summary: "MetricKit's JSON, as received"),
        Setting(
            "honeycomb.output_metrickit_stack_trace_attribute_key", .text,
            default: "exception.stacktrace", summary: "MetricKit stacks, as sent"),
        Setting(
            "honeycomb.output_metrickit_exception_type_attribute_key", .text,
            default: "exception.type", summary: "Type of the exception"),
        Setting(
            "honeycomb.output_metrickit_exception_message_attribute_key", .text,
            default: "exception.message", summary: "Message of the exception"),
        Setting(
            "honeycomb.original_stack_trace_attribute_key", .text,
            default: "exception.stacktrace.original",
            summary: "The received stack, with `stacktrace.keep_original`"),
        Setting(
            "honeycomb.symbolicator_failure_attribute_key", .text,
            default: "exception.symbolicator.failed", summary: "Set if no app frame was resolved"),
        Setting(
            "honeycomb.symbolicator_error_attribute_key", .text,
            default: "exception.symbolicator.error", summary: "Why frames stayed raw"),
        Setting(
            "honeycomb.build_uuid_attribute_key", .text, default: "app.debug.build_uuid",
            summary: "Resource attribute with the UUID of the executable"),
        Setting(
            "honeycomb.app_executable_attribute_key", .text, default: "app.bundle.executable",
            summary: "Resource attribute with the name of the executable"),
        Setting(
            "honeycomb.language_attribute_key", .text, default: "telemetry.sdk.language",
            summary: "Attribute of records or resources with the language"),
        Setting(
            "honeycomb.allowed_languages", .texts,
            summary:
                "Languages whose records are processed; others are sent unchanged. Not set: all records"
        ),
    ]

    private static let limits: [Setting] = [
        Setting(
            "limits.body", .anySize, default: "64MiB",
            summary: "Maximum request body size, after decompression"),
        Setting(
            "limits.bundle", .anySize, default: "16GiB",
            summary: "Maximum size of a symbol upload, as sent"),
        Setting(
            "limits.unpacked", .anySize, default: "64GiB",
            summary: "Maximum size of a symbol upload, unpacked"
        ),
        Setting(
            "limits.frames", count, default: "200000",
            summary: "Maximum number of frames per diagnostic"),
        Setting(
            "limits.depth", .number(1...16_384), default: "16384",
            summary: "Maximum depth of a call-stack tree"),
        Setting(
            "limits.queue_bytes", .anySize, default: "1GiB",
            summary:
                "Queue size limit; when it is reached, requests get 503. If not set, also at most an "
                + "eighth of the disk. Without exporters, the oldest entries are removed above half "
                + "of it"
        ),
        Setting(
            "limits.free_bytes", .unless("auto", .sizeOrZero), default: "auto",
            summary:
                "Free disk space below which requests and uploads get 503; `auto` is a sixteenth of "
                + "the disk, at most 1GiB"),
        Setting(
            "limits.mapped_bytes", .anySize, default: "4GiB",
            summary: "Maximum size of mapped indexes"
        ),
        Setting(
            "limits.memory", .anySize, default: "2GiB",
            summary:
                "Memory limit per upload worker. If not set, also at most a quarter of the container's"
        ),
        Setting(
            "limits.child_cpu", .duration(.seconds(1)...(.days(1))), default: "5m",
            summary: "CPU time limit per upload worker"),
        Setting(
            "limits.children", .unless("auto", .number(1...64)), default: "auto",
            summary:
                "Upload workers at once; `auto` is one per processor, as far as the container's memory allows"
        ),
        Setting(
            "limits.connections", count, default: "4096",
            summary:
                "Maximum connections, for HTTP and gRPC each; idle ones are closed to admit new ones"
        ),
        Setting(
            "limits.connections_per_client", .unless("auto", count), default: "auto",
            summary:
                "Maximum connections per client address, which may be a proxy; `auto` is half of `limits.connections`"
        ),
        Setting(
            "limits.uploads", .number(1...100_000), default: "64",
            summary:
                "Concurrent uploads, which together may take twice `limits.bundle`; further ones get 503"
        ),
        Setting(
            "limits.request_seconds", .number(1...86_400), default: "60",
            summary:
                "Time limit for receiving a request other than an upload, in seconds; idle connections are closed 5 seconds later"
        ),
    ]

    private static let retention: [Setting] = [
        Setting(
            "retention.symbols_age", .unless("none", .duration(age)), default: "none",
            summary: "Remove symbols that were not used for this long"),
        Setting(
            "retention.symbols_bytes", .unless("none", .sizeOrZero), default: "none",
            summary:
                "Maximum size of stored symbols; the least recently used are removed first. If not "
                + "set, three eighths of the disk"),
        Setting(
            "retention.diagnostics_age", .duration(age), default: "30d",
            summary:
                "Remove diagnostics and dead letters after this time; without exporters, also requests "
                + "that wait for one"),
        Setting(
            "retention.diagnostics_bytes", .sizeOrZero, default: "10GiB",
            summary:
                "Maximum size of diagnostics, and of dead letters; the oldest are removed first. If "
                + "not set, also at most a quarter and an eighth of the disk; with several nodes, "
                + "whole days are removed, and if not set, diagnostics have no limit"),
        Setting(
            "retention.payload_keys", .duration(age), default: "2d",
            summary: """
                How long several nodes recognise a MetricKit payload that is posted again, and a \
                stored message of Kafka that is delivered again
                """),
    ]

    private static let operation: [Setting] = [
        Setting(
            "workers", .unless("auto", .number(1...256)), default: "auto",
            summary:
                "Diagnostics symbolicated at once; `auto` is one per processor, within the CPU quota of the container"
        ),
        Setting(
            "log.level", .choice(levels), default: "info", summary: "Minimum log level"),
        Setting(
            "log.format", .choice(["text", "json"]), default: "text", summary: "Format of log lines"
        ),
        Setting("tracing.url", .url, summary: "OTLP/HTTP endpoint for the service's own traces"),
    ]
}
